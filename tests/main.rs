//! All integration tests, one module a subject.

mod pico_tasks;
