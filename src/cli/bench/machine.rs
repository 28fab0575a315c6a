//! The facts about a machine without which its figures can't be read.

use tbindex::batch::Backend;

/// The machine that the figures are of.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// The processor, as it calls itself.
    pub(crate) cpu: String,
    /// Those of its instruction sets that matter here.
    pub(crate) features: Vec<&'static str>,
    /// The number of threads that it runs at a time.
    pub(crate) threads: usize,
    /// The sizes of its data caches in bytes, the nearest first.
    pub(crate) caches: Vec<usize>,
    /// The backends it has.
    pub(crate) backends: Vec<&'static str>,
}

impl Machine {
    /// The machine on which this runs.
    pub(crate) fn this() -> Machine {
        Machine {
            cpu: cpu_name(),
            features: features(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            caches: caches(),
            backends: Backend::available().map(Backend::name).collect(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn cpu_name() -> String {
    let id = raw_cpuid::CpuId::new();
    let name = id.get_processor_brand_string();
    let mut name = name.map_or_else(
        || "x86-64".to_owned(),
        |name| name.as_str().trim().to_owned(),
    );
    if let Some(feature) = id.get_feature_info() {
        let (family, model) = (feature.family_id(), feature.model_id());
        name += &format!(" (family {family}, model {model})");
    }
    name
}

#[cfg(not(target_arch = "x86_64"))]
fn cpu_name() -> String {
    std::env::consts::ARCH.to_owned()
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    macro_rules! present {
        ($($name:tt),*) => {
            [$(($name, is_x86_feature_detected!($name))),*]
                .into_iter()
                .filter_map(|(name, present)| present.then_some(name))
                .collect()
        };
    }
    present!(
        "sse2",
        "ssse3",
        "sse4.2",
        "avx",
        "avx2",
        "bmi2",
        "avx512f",
        "avx512bw",
        "avx512dq",
        "avx512vl",
        "avx512ifma",
        "avx512vbmi",
        "avx512vbmi2",
        "avx512vnni",
        "gfni"
    )
}

#[cfg(not(target_arch = "x86_64"))]
fn features() -> Vec<&'static str> {
    Vec::new()
}

#[cfg(target_arch = "x86_64")]
fn caches() -> Vec<usize> {
    use raw_cpuid::CacheType;
    let all = raw_cpuid::CpuId::new().get_cache_parameters();
    let mut sizes = Vec::new();
    for cache in all.into_iter().flatten() {
        if matches!(cache.cache_type(), CacheType::Data | CacheType::Unified) {
            let ways = cache.associativity() * cache.physical_line_partitions();
            sizes.push(ways * cache.coherency_line_size() * cache.sets());
        }
    }
    sizes
}

#[cfg(not(target_arch = "x86_64"))]
fn caches() -> Vec<usize> {
    Vec::new()
}
