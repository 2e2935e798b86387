import { NcclError } from '@nccl-ts/core';
import type { Dim3, KernelArg } from '@nccl-ts/transport';
import { cuResult } from '../ffi/cu-constants.ts';
import type { NativeFunction } from '../ffi/koffi.ts';
import { kernelNodeLayout, writeKernelNode } from '../ffi/launch-struct.ts';
import { allocateNative, type NativeMemory } from '../ffi/native-memory.ts';
import type { CudaExecutable } from './cuda-executable.ts';
import type { CudaStream } from './cuda-stream.ts';
import type { GraphStreams } from './graph-streams.ts';
import type { LaunchSlot } from './launch-slot.ts';

/** One kernel of the graph. */
interface JointNode {
  readonly stream: CudaStream;
  readonly slot: LaunchSlot;
  /** `CUgraphNode` */
  readonly handle: number;
  /** The address of the node's parameters, for the driver. */
  readonly params: number;
  /** The version of the arguments in the graph, as `LaunchSlot.fill` numbers them. */
  version: number;
}

/** The arguments of each rank, in the order of the streams. */
export type JointArguments = readonly (readonly KernelArg[])[];

/**
 * A graph with one launch of a kernel on each of several GPUs, and nothing else. Launching it takes
 * one driver call, plus one for each GPU whose arguments have changed.
 */
export class JointGraph {
  readonly #executable: CudaExecutable;
  readonly #at: GraphStreams;
  readonly #memory: NativeMemory;
  readonly #nodes: JointNode[] = [];
  readonly #setParams: NativeFunction;
  #graph = 0;
  #handle = 0;

  /** @throws NcclError if the driver does not accept a node */
  constructor(executable: CudaExecutable, at: GraphStreams, grid: Dim3, block: Dim3, args: JointArguments) {
    const { driver } = at.origin.device;
    this.#executable = executable;
    this.#at = at;
    this.#setParams = driver.native('cuGraphExecKernelNodeSetParams_v2');
    this.#memory = allocateNative(driver.koffi, at.streams.length * kernelNodeLayout.bytes);
    try {
      this.#graph = driver.handle('cuGraphCreate', 0);
      for (const [i, stream] of at.streams.entries()) {
        const slot = executable.slot(stream.rank);
        const version = slot.fill(stream, args[i] ?? missing());
        const offset = i * kernelNodeLayout.bytes;
        const view = new DataView(this.#memory.u8.buffer, this.#memory.u8.byteOffset + offset, kernelNodeLayout.bytes);
        writeKernelNode(view, { fn: slot.fn, grid, block, extra: slot.extra });
        stream.device.makeCurrent();
        const params = this.#memory.address + offset;
        const handle = driver.handle('cuGraphAddKernelNode_v2', this.#graph, 0, 0, params);
        this.#nodes.push({ stream, slot, handle, params, version });
      }
      at.origin.device.makeCurrent();
      this.#handle = driver.handle('cuGraphInstantiateWithFlags', this.#graph, 0);
      driver.check('cuGraphUpload', this.#handle, at.origin.handle);
    } catch (error) {
      this.destroy();
      throw error;
    }
  }

  /**
   * Launches it after all earlier launches on the streams. @throws NcclError with the driver's
   * error
   */
  launch(args: JointArguments, team: readonly number[]): void {
    for (let i = 0; i < this.#nodes.length; i++) this.#update(this.#nodes[i] ?? missing(), args[i] ?? missing());
    this.#at.launch(this.#handle, team);
    for (const stream of this.#at.streams) stream.launched(this.#executable);
  }

  /** Destroys the graph. The driver frees it after launches in progress have ended. */
  destroy(): void {
    const { driver } = this.#at.origin.device;
    if (this.#handle !== 0) driver.check('cuGraphExecDestroy', this.#handle);
    if (this.#graph !== 0) driver.check('cuGraphDestroy', this.#graph);
    this.#handle = 0;
    this.#graph = 0;
    this.#memory.free();
  }

  #update(node: JointNode, args: readonly KernelArg[]): void {
    const version = node.slot.fill(node.stream, args);
    if (version === node.version) return;
    node.stream.device.makeCurrent();
    const result = Number(this.#setParams(this.#handle, node.handle, node.params));
    if (result !== cuResult.success) {
      throw node.stream.device.driver.failure('cuGraphExecKernelNodeSetParams', result);
    }
    node.version = version;
  }
}

function missing(): never {
  throw new NcclError('NCCL_INTERNAL_ERROR', 'A joint launch has a rank without arguments.');
}
