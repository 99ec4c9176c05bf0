//! The machine and the memory, read from files that may be absent.

use planrun::condition::Stated;
use planrun::measure::{Machine, Memory, Readings};
use std::fs;
use std::path::Path;

fn file(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn a_machine_that_tells_nothing_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let machine = Machine::at(folder.path());
    assert_eq!(machine.hardware(), Stated::Unknown);
    assert_eq!(machine.readings(), Readings::default());
}

#[test]
fn hardware_is_read_as_the_kernel_tells_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    file(root, "proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU\nflags\t\t: fpu avx2 fma avx512f\n");
    file(root, "proc/meminfo", "MemTotal:       16303912 kB\nMemAvailable:    2048000 kB\n");
    file(
        root,
        "proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu\n",
    );
    file(root, "proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: \t\t Some GPU\nIRQ: 1\n");
    file(root, "sys/class/power_supply/AC/type", "Mains\n");
    file(root, "sys/class/power_supply/AC/online", "0\n");
    file(root, "sys/class/power_supply/BAT0/type", "Battery\n");
    file(root, "sys/class/power_supply/BAT0/status", "Discharging\n");
    let Stated::Set(hardware) = Machine::at(root).hardware() else { panic!("not read") };
    assert_eq!((hardware.cpu.as_str(), hardware.memory_gib), ("Some CPU", 16));
    assert_eq!(hardware.instruction_sets, ["avx2", "fma", "avx512f"]);
    assert_eq!(hardware.accelerators, ["Some GPU, driver 550.54.14"]);
    assert_eq!(hardware.power_source.as_deref(), Some("battery"));
    assert!(hardware.cores >= 1);
}

#[test]
fn readings_hold_the_hottest_zone_and_a_hash_of_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    file(root, "proc/loadavg", "0.52 0.40 0.30 1/200 4000\n");
    file(root, "proc/meminfo", "MemAvailable:    2048000 kB\n");
    file(root, "proc/sys/kernel/hostname", "box\n");
    file(root, "sys/class/thermal/thermal_zone0/temp", "41000\n");
    file(root, "sys/class/thermal/thermal_zone1/temp", "57500\n");
    file(root, "sys/class/thermal/cooling_device0/type", "Fan\n");
    let readings = Machine::at(root).readings();
    assert_eq!((readings.load_average, readings.free_memory_mib), (Some(0.52), Some(2000)));
    assert_eq!(readings.temperature_c, Some(57.5));
    assert_eq!(readings.host, Some(planrun::fingerprint::of_bytes(b"box")));
}

#[test]
fn the_high_water_mark_of_memory_is_read_in_mib() {
    let folder = tempfile::tempdir().unwrap();
    file(folder.path(), "status", "Name:\tx\nVmHWM:\t  204800 kB\nVmRSS:\t  1 kB\n");
    let memory = Memory::at(folder.path());
    assert_eq!(memory.peak_mib(), Some(200.0));
    assert!(!memory.reset_peak(), "there is no clear_refs here");
    assert_eq!(Memory::at(Path::new("/nowhere")).peak_mib(), None);
}
