/** Copies 16 bytes in every invocation, as fast as the device can. */
const text = `
@group(0) @binding(0) var<storage, read> source: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> target_: array<vec4u>;
@compute @workgroup_size(256)
fn copy(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let stride = groups.x * 256u;
  for (var i = id.x; i < arrayLength(&source); i += stride) { target_[i] = source[i]; }
}`;

const STORAGE = 0x80;
const COPY_SRC = 0x4;
const COPY_DST = 0x8;
const QUERY_RESOLVE = 0x200;
const MAP_READ = 0x1;

/** Makes a plain copy from one buffer to another, timed by the GPU's own clock. */
export async function createCopy(
  device: GPUDevice,
  bytes: number,
): Promise<{ readonly nanoseconds: (times: number) => Promise<number>; readonly dispose: () => void }> {
  const [source, target] = [0, 1].map(() => device.createBuffer({ size: bytes, usage: STORAGE | COPY_SRC | COPY_DST }));
  if (source === undefined || target === undefined) throw new RangeError('no buffers');
  const module = device.createShaderModule({ code: text });
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module } });
  const bindGroup = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [source, target].map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  const queries = device.createQuerySet({ type: 'timestamp', count: 2 });
  const resolved = device.createBuffer({ size: 16, usage: QUERY_RESOLVE | COPY_SRC });
  const staging = device.createBuffer({ size: 16, usage: MAP_READ | COPY_DST });
  return {
    nanoseconds: async (times) => {
      const encoder = device.createCommandEncoder();
      const timestampWrites = { querySet: queries, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 };
      const pass = encoder.beginComputePass({ timestampWrites });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bindGroup);
      for (let i = 0; i < times; i++) pass.dispatchWorkgroups(4096);
      pass.end();
      encoder.resolveQuerySet(queries, 0, 2, resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, staging, 0, 16);
      device.queue.submit([encoder.finish()]);
      await staging.mapAsync(MAP_READ);
      const [from = 0n, to = 0n] = new BigUint64Array(staging.getMappedRange());
      staging.unmap();
      return Number(to - from) / times;
    },
    dispose: () => {
      for (const buffer of [source, target, resolved, staging]) buffer.destroy();
      queries.destroy();
    },
  };
}
