//! Real servers, started as planrun starts them.

use planrun::condition::Settings;
use planrun::engine::http::Client;
use planrun::engine::{Endpoint, launch};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest time that a server may take to be ready.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that ends with this value.
pub(crate) struct Started {
    server: Child,
    pub(crate) endpoint: Endpoint,
}

impl Started {
    /// Starts what the settings name, and waits until it is ready.
    pub(crate) fn with(settings: &Settings) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let how = launch(settings, Path::new(""), port).unwrap().unwrap();
        let mut command = Command::new(&how.program);
        command.args(&how.arguments).envs(how.environment.iter().map(|(name, value)| (name, value)));
        let server = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let endpoint = Endpoint {
            url: format!("http://127.0.0.1:{port}"),
            process: server.id(),
            binary: Some("0".repeat(64)),
            load_s: Some(0.0),
        };
        let mut started = Self { server, endpoint };
        let (client, begun) = (Client::new(&started.endpoint.url, None), Instant::now());
        while client.get(how.ready).is_err() {
            let ended = started.server.try_wait().unwrap();
            assert!(ended.is_none() && begun.elapsed() < PATIENCE, "{} is not ready: {ended:?}", how.shown());
            std::thread::sleep(Duration::from_millis(20));
        }
        started
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
