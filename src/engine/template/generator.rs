//! Filters that give a generator in Jinja2 and a list in minijinja. A generator is always true, has no length, can be
//! gone through once, and is no JSON; templates that rely on a list there fail in the reference, so they fail here.

use minijinja::value::{Enumerator, Object, ObjectRepr, Rest, Value, ValueOrKwargs};
use minijinja::{Environment, Error, State, filters};
use std::fmt;
use std::sync::{Arc, Mutex};

#[derive(Debug)]
struct Generator(Mutex<std::vec::IntoIter<Value>>);

impl Object for Generator {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Iterable
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        let generator = Arc::clone(self);
        Enumerator::Iter(Box::new(std::iter::from_fn(move || generator.0.lock().ok()?.next())))
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<generator object>")
    }
}

/// True for what one of these filters gave.
pub(super) fn is_generator(value: &Value) -> bool {
    value.downcast_object_ref::<Generator>().is_some()
}

/// Replaces minijinja's filters with those that give generators.
pub(super) fn install(environment: &mut Environment<'_>) {
    environment.add_filter(eager("map"), filters::map);
    environment.add_filter(eager("select"), filters::select);
    environment.add_filter(eager("reject"), filters::reject);
    environment.add_filter(eager("selectattr"), filters::selectattr);
    environment.add_filter(eager("rejectattr"), filters::rejectattr);
    environment.add_filter(eager("unique"), filters::unique);
    environment.add_filter(eager("batch"), filters::batch);
    environment.add_filter(eager("slice"), filters::slice);
    for name in ["map", "select", "reject", "selectattr", "rejectattr", "unique", "batch", "slice"] {
        let lazy =
            move |state: &mut State<'_, '_>, arguments: Rest<ValueOrKwargs>| lazy(name, state, arguments);
        environment.add_filter(name, lazy);
    }
}

fn eager(name: &str) -> String {
    format!("list of {name}")
}

fn lazy(name: &str, state: &mut State<'_, '_>, arguments: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let items = state.apply_filter(&eager(name), &arguments.into_values())?;
    let items: Vec<Value> = items.try_iter()?.collect();
    Ok(Value::from_object(Generator(Mutex::new(items.into_iter()))))
}
