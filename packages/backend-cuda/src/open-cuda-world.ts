import { at, debugLog, NcclError } from '@nccl-ts/core';
import type { OpenWorldOptions } from '@nccl-ts/transport';
import { chosenCompiler, type ResolvedCudaOptions } from './cuda-options.ts';
import { thisHost, type DiscoveryHost } from './discovery/discovery-host.ts';
import { chooseCompilers } from './jit/choose-compilers.ts';
import { ncclLayoutOf } from './jit/nccl-layout-of.ts';
import {
  checkCommunicators,
  createAllCommunicators,
  createOneCommunicator,
  type Communicators,
} from './runtime/communicators.ts';
import { archOf, checkPeerAccess, CudaDevice, deviceOrdinals, hasNvlink } from './runtime/cuda-device.ts';
import { createCudaWorld } from './runtime/create-cuda-world.ts';
import type { CudaWorld } from './runtime/cuda-world.ts';
import type { EmitCuda } from './runtime/load-kernel.ts';
import { openPlatform, type Platform } from './runtime/platform.ts';
import { Poller } from './runtime/poller.ts';
import { resolveProcessRank, type ResolvedProcessRank } from './runtime/process-rank.ts';
import { allowSharing, checkSharing, ranksPerGpu } from './runtime/shared-gpus.ts';
import { worldSupport } from './runtime/world-support.ts';
import type { CudaDriver } from './ffi/cuda-driver.ts';

/**
 * Opens a world on the GPUs of this process. It finds and loads the software, and creates NCCL's
 * communicators.
 */
export async function openCudaWorld(
  options: ResolvedCudaOptions,
  open: OpenWorldOptions,
  emit: EmitCuda,
): Promise<CudaWorld> {
  const host = thisHost();
  const processRank = open.process === undefined ? undefined : resolveProcessRank(open.process, host.env);
  if (processRank === undefined && mayShare(options)) allowSharing();
  const watch = new Stopwatch();
  const platform = await withCompilers(await openPlatform(options, host), options, host);
  const platformTime = watch.lap();
  const { driver, nccl, compiler } = platform;
  const ordinals = processRank === undefined ? ordinalsOf(driver, options) : [oneDevice(driver, options, processRank)];
  const sharing = ranksPerGpu(ordinals);
  if (sharing > 1) checkSharing(sharing, compiler.nccl.version, host);
  checkPeerAccess(driver, ordinals);
  const [first] = ordinals;
  if (first === undefined) throw new RangeError('A world without GPUs.');
  // While NCCL keeps this thread busy, the compiler can already work in its process.
  const layoutSoon = ncclLayoutOf(compiler, archOf(driver, first));
  layoutSoon.catch(() => undefined);
  const poller = new Poller();
  const devices: CudaDevice[] = [];
  const retain = (ordinal: number, rank: number): CudaDevice => {
    const device = new CudaDevice(driver, { ordinal, rank, poller, sharing });
    devices.push(device);
    return device;
  };
  let communicators: Communicators | undefined;
  try {
    if (processRank !== undefined)
      communicators = createOneCommunicator(nccl, retain(first, processRank.rank), processRank);
    else communicators = createAllCommunicators(nccl, ordinals);
    const communicatorsTime = watch.lap();
    if (processRank === undefined) for (const [rank, ordinal] of ordinals.entries()) retain(ordinal, rank);
    const contexts = watch.lap();
    const layout = await layoutSoon;
    const layoutTime = watch.lap();
    const { topology, handles } = communicators;
    const ranks = devices.map((device, i) => ({ rank: device.rank, device, comm: at(handles, i) }));
    poller.watchWith(() => checkCommunicators(nccl, ranks));
    const { abortable, launchTimeout, printBytes } = options;
    const openTimes = Object.freeze({
      platform: platformTime,
      communicators: communicatorsTime,
      contexts,
      layout: layoutTime,
    });
    debugLog('cuda', () => `opened on GPUs ${ordinals.join(', ')}, milliseconds: ${JSON.stringify(openTimes)}`);
    return createCudaWorld({
      platform,
      layout,
      topology,
      support: worldSupport(nccl, layout, at(handles, 0)),
      ranks,
      // A process does not know the GPUs of others.
      nvlink: processRank === undefined && hasNvlink(driver, ordinals),
      poller,
      emit,
      abortable,
      launchTimeout,
      printBytes,
      openTimes,
    });
  } catch (error) {
    for (const handle of communicators?.handles ?? []) nccl.call('ncclCommAbort', handle);
    for (const device of devices) device.dispose();
    throw error;
  }
}

async function withCompilers(platform: Platform, options: ResolvedCudaOptions, host: DiscoveryHost): Promise<Platform> {
  const { compiler } = platform;
  const compilers = await chooseCompilers(
    compiler.toolkit,
    chosenCompiler(options, host),
    host,
    options.compileTimeout,
  );
  debugLog('cuda', () => `what compiles: ${compilers.map(({ title }) => title).join(', else ')}`);
  return { ...platform, compiler: { ...compiler, compilers } };
}

/** True if ranks will share a GPU, as far as is known before the driver is loaded. */
function mayShare({ devices, ranks }: ResolvedCudaOptions): boolean {
  if (devices === undefined || devices === 'all') return ranks !== undefined && ranks > 1;
  return ranksPerGpu(devices) > 1 || (ranks !== undefined && ranks > devices.length);
}

/** Returns the GPU of each rank, in rank order. */
function ordinalsOf(driver: CudaDriver, { devices = 'all', ranks }: ResolvedCudaOptions): readonly number[] {
  const ordinals = deviceOrdinals(driver, devices);
  if (ranks === undefined) return ordinals;
  return Array.from({ length: ranks }, (_, rank) => at(ordinals, rank % ordinals.length));
}

/**
 * Returns the GPU of a process that holds one rank: the configured one, or that of its local rank,
 * or the first.
 */
function oneDevice(driver: CudaDriver, options: ResolvedCudaOptions, processRank: ResolvedProcessRank): number {
  const { devices, ranks = 1 } = options;
  if (ranks !== 1) {
    throw new NcclError('NCCL_INVALID_ARGUMENT', `ranks must be 1 where each process holds one rank; given ${ranks}.`);
  }
  if (devices !== undefined && devices !== 'all') {
    const [device] = devices;
    if (devices.length === 1 && device !== undefined) return deviceOrdinals(driver, devices)[0] ?? device;
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `devices must name one GPU where each process holds one rank; given ${devices.length}.`,
    );
  }
  const all = deviceOrdinals(driver, 'all');
  // A launcher that shows each process only one GPU still sets LOCAL_RANK to its number on the
  // host.
  const wanted = all.length === 1 ? 0 : (processRank.localRank ?? 0);
  return deviceOrdinals(driver, [wanted])[0] ?? wanted;
}

class Stopwatch {
  #last = performance.now();

  /** Returns the milliseconds since the previous call. */
  lap(): number {
    const now = performance.now();
    const lap = now - this.#last;
    this.#last = now;
    return lap;
  }
}
