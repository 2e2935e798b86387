import koffi from 'koffi';
import type { CudaWorld } from '@nccl-ts/backend-cuda';
import type { StreamHandle } from '@nccl-ts/transport';

/**
 * Launches that call the driver directly through koffi, which is the least that a launch can cost
 * in Node.
 */
export interface BareLaunches {
  /** Makes the context of the i-th GPU current, and launches there. */
  launch(i: number): void;
  /** Blocks until all GPUs have finished. */
  synchronize(): void;
}

interface Dim3 {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/**
 * Prepares a launch for each stream. Its kernel takes this many bytes of arguments and does
 * nothing.
 */
export function bareLaunches(
  world: CudaWorld,
  streams: readonly StreamHandle[],
  { grid, block, bytes }: { readonly grid: Dim3; readonly block: Dim3; readonly bytes: number },
): BareLaunches {
  const driver = koffi.load('libcuda.so.1');
  const out = new BigUint64Array(1);
  const declare = (name: string, parameters: readonly string[]): ((...args: readonly unknown[]) => void) => {
    const native = driver.func(name, 'int', [...parameters]);
    return (...args) => {
      const result: unknown = native(...args);
      if (result !== 0) throw new Error(`${name} gave ${String(result)}`);
    };
  };
  const setCurrent = driver.func('cuCtxSetCurrent', 'int', ['uint64_t']);
  const launchKernel = driver.func('cuLaunchKernelEx', 'int', ['uint64_t', 'uint64_t', 'uint64_t', 'uint64_t']);
  const retain = declare('cuDevicePrimaryCtxRetain', ['void *', 'int']);
  const load = declare('cuModuleLoadData', ['void *', 'void *']);
  const find = declare('cuModuleGetFunction', ['void *', 'uint64_t', 'str']);
  const wait = declare('cuStreamSynchronize', ['uint64_t']);

  const parameters = bytes === 0 ? '' : `.param .align 8 .b8 arguments[${bytes}]`;
  const ptx = `.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry bare(${parameters}) { ret; }\0`;
  const prepared = streams.map((handle) => {
    const stream = world.nativeStream(handle);
    retain(out, world.deviceOf(handle.rank));
    const context = Number(out[0]);
    setCurrent(context);
    load(out, new TextEncoder().encode(ptx));
    find(out, Number(out[0]), 'bare');
    const kernel = Number(out[0]);
    // CUlaunchConfig (56 bytes), then the target of `extra` (buffer, size, end), then the size and
    // the buffer.
    const memory: unknown = koffi.alloc('uint64_t', 32 + Math.ceil(bytes / 8));
    const address = koffi.address(memory);
    const view = new DataView(koffi.view(memory, 8 * 32));
    [grid.x, grid.y, grid.z, block.x, block.y, block.z, 0].forEach((size, i) => view.setUint32(4 * i, size, true));
    view.setBigUint64(32, BigInt(stream), true);
    const extra = [1n, address + 256n, 2n, address + 128n, 0n];
    extra.forEach((value, i) => view.setBigUint64(64 + 8 * i, value, true));
    view.setBigUint64(128, BigInt(bytes), true);
    return { stream, context, kernel, config: Number(address), extra: Number(address) + 64 };
  });
  return {
    launch: (i) => {
      const it = prepared[i];
      if (it === undefined) throw new RangeError('there is no such GPU');
      setCurrent(it.context);
      const result: unknown = launchKernel(it.config, it.kernel, 0, it.extra);
      if (result !== 0) throw new Error(`cuLaunchKernelEx gave ${String(result)}`);
    },
    synchronize: () => {
      for (const { stream } of prepared) wait(stream);
    },
  };
}
