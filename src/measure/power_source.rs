//! Where the machine draws its power from.

use std::path::Path;

/// `mains` if a mains supply is online, `battery` if there is a battery that discharges, else `None`
/// (`/sys/class/power_supply` of the Linux kernel; most servers have nothing there).
pub(super) fn power_source(supplies: &Path) -> Option<String> {
    let read = |folder: &Path, file: &str| {
        std::fs::read_to_string(folder.join(file)).map(|text| text.trim().to_owned()).unwrap_or_default()
    };
    let folders: Vec<_> = std::fs::read_dir(supplies).ok()?.flatten().map(|entry| entry.path()).collect();
    let mains = folders.iter().any(|at| read(at, "type") == "Mains" && read(at, "online") == "1");
    let battery = folders.iter().any(|at| {
        read(at, "type") == "Battery" && read(at, "scope") != "Device" && read(at, "status") == "Discharging"
    });
    if mains { Some("mains".into()) } else { battery.then(|| "battery".into()) }
}
