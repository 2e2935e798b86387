/** The limits for kernels and buffers, each at least 1. A new device gets the adapter's limits. */
export type DeviceLimits = Readonly<
  Record<
    | 'maxBufferSize'
    | 'maxStorageBufferBindingSize'
    | 'maxUniformBufferBindingSize'
    | 'maxStorageBuffersPerShaderStage'
    | 'maxBindingsPerBindGroup'
    | 'maxBindGroups'
    | 'maxComputeInvocationsPerWorkgroup'
    | 'maxComputeWorkgroupSizeX'
    | 'maxComputeWorkgroupSizeY'
    | 'maxComputeWorkgroupSizeZ'
    | 'maxComputeWorkgroupStorageSize'
    | 'maxComputeWorkgroupsPerDimension'
    | 'minStorageBufferOffsetAlignment'
    | 'minUniformBufferOffsetAlignment',
    number
  >
>;

/** Returns a copy of `limits` that can be passed to `requestDevice`. */
export function deviceLimitsOf(limits: GPUSupportedLimits): DeviceLimits {
  return Object.freeze({
    maxBufferSize: limits.maxBufferSize,
    maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
    maxUniformBufferBindingSize: limits.maxUniformBufferBindingSize,
    maxStorageBuffersPerShaderStage: limits.maxStorageBuffersPerShaderStage,
    maxBindingsPerBindGroup: limits.maxBindingsPerBindGroup,
    maxBindGroups: limits.maxBindGroups,
    maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
    maxComputeWorkgroupSizeX: limits.maxComputeWorkgroupSizeX,
    maxComputeWorkgroupSizeY: limits.maxComputeWorkgroupSizeY,
    maxComputeWorkgroupSizeZ: limits.maxComputeWorkgroupSizeZ,
    maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
    maxComputeWorkgroupsPerDimension: limits.maxComputeWorkgroupsPerDimension,
    minStorageBufferOffsetAlignment: limits.minStorageBufferOffsetAlignment,
    minUniformBufferOffsetAlignment: limits.minUniformBufferOffsetAlignment,
  });
}
