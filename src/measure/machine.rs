//! The machine as it can be read: what is controlled (hardware) and what is only told (readings). Files that are absent give
//! an absent value, never an error.

use super::power_source::power_source;
use crate::condition::{Hardware, Stated};
use crate::fingerprint;
use std::path::{Path, PathBuf};

/// Instruction sets that change the speed or the rounding of matrix products, in the kernel's spelling.
const INSTRUCTION_SETS: &[&str] = &[
    "sse4_2",
    "avx",
    "avx2",
    "fma",
    "f16c",
    "avx_vnni",
    "avx512f",
    "avx512bw",
    "avx512vl",
    "avx512_vnni",
    "avx512_bf16",
    "avx512_fp16",
    "amx_tile",
    "amx_int8",
    "amx_bf16",
    "neon",
    "asimd",
    "asimdhp",
    "asimddp",
    "i8mm",
    "bf16",
    "sve",
    "sve2",
];

/// Where the machine is read.
#[derive(Debug, Clone)]
pub struct Machine {
    root: PathBuf,
}

/// Circumstances at one moment: told in the record, never compared.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Readings {
    /// One-minute load average.
    pub load_average: Option<f64>,
    /// Memory that programs can still take, MiB.
    pub free_memory_mib: Option<u64>,
    /// Hottest readable thermal zone, degrees Celsius.
    pub temperature_c: Option<f64>,
    /// Boot identity.
    pub boot: Option<String>,
    /// SHA-256 of the host's name.
    pub host: Option<String>,
}

impl Default for Machine {
    fn default() -> Self {
        Self::at(Path::new("/"))
    }
}

impl Machine {
    /// A machine whose `/proc` and `/sys` stand under another folder.
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// The hardware; unknown where the system does not tell the processor or the memory.
    pub fn hardware(&self) -> Stated<Hardware> {
        self.read_hardware().map_or(Stated::Unknown, Stated::Set)
    }

    /// Circumstances now.
    pub fn readings(&self) -> Readings {
        let load = self.text("proc/loadavg");
        let first = load.as_deref().and_then(|text| text.split_whitespace().next());
        Readings {
            load_average: first.and_then(|number| number.parse().ok()),
            free_memory_mib: self.memory_kib("MemAvailable:").map(|kib| kib / 1024),
            temperature_c: self.temperature(),
            boot: self.text("proc/sys/kernel/random/boot_id"),
            host: self.text("proc/sys/kernel/hostname").map(|name| fingerprint::of_bytes(name.as_bytes())),
        }
    }

    fn read_hardware(&self) -> Option<Hardware> {
        let processors = self.text("proc/cpuinfo")?;
        let memory_kib = self.memory_kib("MemTotal:")?;
        Some(Hardware {
            cpu: cpu_model(&processors)?,
            instruction_sets: instruction_sets(&processors),
            cores: std::thread::available_parallelism().map_or(0, |cores| cores.get() as u32),
            memory_gib: (memory_kib as f64 / f64::from(1 << 20)).round() as u32,
            accelerators: self.accelerators(),
            power_source: power_source(&self.root.join("sys/class/power_supply")),
        })
    }

    /// NVIDIA cards as their driver lists them; other accelerators cannot be read without their vendor's libraries.
    fn accelerators(&self) -> Vec<String> {
        let driver = self.text("proc/driver/nvidia/version");
        let version = driver.as_deref().and_then(|text| {
            text.split_whitespace()
                .find(|word| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit()))
        });
        let mut cards: Vec<String> = folders(&self.root.join("proc/driver/nvidia/gpus"))
            .iter()
            .filter_map(|card| std::fs::read_to_string(card.join("information")).ok())
            .filter_map(|text| value_of(&text, "Model"))
            .map(|model| format!("{model}, driver {}", version.unwrap_or("unknown")))
            .collect();
        cards.sort();
        cards
    }

    fn temperature(&self) -> Option<f64> {
        let zones = folders(&self.root.join("sys/class/thermal"));
        let read =
            |zone: &PathBuf| std::fs::read_to_string(zone.join("temp")).ok()?.trim().parse::<f64>().ok();
        zones.iter().filter_map(read).map(|millidegrees| millidegrees / 1000.0).reduce(f64::max)
    }

    fn memory_kib(&self, key: &str) -> Option<u64> {
        let text = self.text("proc/meminfo")?;
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    }

    fn text(&self, path: &str) -> Option<String> {
        let text = std::fs::read_to_string(self.root.join(path)).ok()?;
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

/// The model name; on ARM, which gives none, the implementer and part numbers.
fn cpu_model(processors: &str) -> Option<String> {
    value_of(processors, "model name").or_else(|| {
        let implementer = value_of(processors, "CPU implementer")?;
        Some(format!(
            "{} implementer {implementer} part {}",
            std::env::consts::ARCH,
            value_of(processors, "CPU part")?
        ))
    })
}

fn instruction_sets(processors: &str) -> Vec<String> {
    let flags =
        value_of(processors, "flags").or_else(|| value_of(processors, "Features")).unwrap_or_default();
    let there: Vec<&str> = flags.split_whitespace().collect();
    INSTRUCTION_SETS.iter().filter(|set| there.contains(set)).map(|&set| set.to_owned()).collect()
}

/// The first `key : value` line of a text.
fn value_of(text: &str, key: &str) -> Option<String> {
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.into_iter().find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim().to_owned())
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(parent)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default()
}
