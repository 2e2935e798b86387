/**
 * WebGPU's own numbers for the uses of buffers. Browsers have them in a global that Node lacks, and
 * the standard fixes them.
 *
 * @see GPUBufferUsage
 */
export const BufferUsage: {
  readonly MAP_READ: 0x1;
  readonly MAP_WRITE: 0x2;
  readonly COPY_SRC: 0x4;
  readonly COPY_DST: 0x8;
  readonly UNIFORM: 0x40;
  readonly STORAGE: 0x80;
  readonly INDIRECT: 0x100;
  readonly QUERY_RESOLVE: 0x200;
} = Object.freeze({
  MAP_READ: 0x1,
  MAP_WRITE: 0x2,
  COPY_SRC: 0x4,
  COPY_DST: 0x8,
  UNIFORM: 0x40,
  STORAGE: 0x80,
  INDIRECT: 0x100,
  QUERY_RESOLVE: 0x200,
});

/** @see GPUMapMode */
export const MapMode: { readonly READ: 0x1; readonly WRITE: 0x2 } = Object.freeze({ READ: 0x1, WRITE: 0x2 });

/** @see GPUShaderStage */
export const SHADER_STAGE_COMPUTE = 0x4;
