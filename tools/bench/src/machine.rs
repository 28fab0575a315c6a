//! The facts about a machine without which its figures can't be read.

/// The processor, as it calls itself.
#[must_use]
#[cfg(target_arch = "x86_64")]
pub fn cpu_name() -> String {
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

/// The processor, as far as it is known.
#[must_use]
#[cfg(not(target_arch = "x86_64"))]
pub fn cpu_name() -> String {
    std::env::consts::ARCH.to_owned()
}

/// The instruction sets of the processor that matter here.
#[must_use]
#[cfg(target_arch = "x86_64")]
pub fn features() -> Vec<&'static str> {
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

/// The instruction sets of the processor that matter here: none are told apart.
#[must_use]
#[cfg(not(target_arch = "x86_64"))]
pub fn features() -> Vec<&'static str> {
    Vec::new()
}

/// The sizes of the data caches in bytes, the nearest first.
#[must_use]
#[cfg(target_arch = "x86_64")]
pub fn caches() -> Vec<usize> {
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

/// The sizes of the data caches, which are not known.
#[must_use]
#[cfg(not(target_arch = "x86_64"))]
pub fn caches() -> Vec<usize> {
    Vec::new()
}
