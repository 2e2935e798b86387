import type { Communicator, Stream } from '@nccl-ts/communicator';
import type { Kernel } from '@nccl-ts/kernel';
import { prepareArguments, type ArgumentPlan, type PreparedArguments, type StartValue } from './kernel-arguments.ts';
import type { LaunchSequence } from './launch-sequence.ts';
import { scalarArgument } from './scalar-argument.ts';

export interface SequenceRun {
  readonly grid: number;
  readonly block: number;
  /** The size of each window. */
  readonly bytes: number;
  /**
   * The initial epochs of barriers, and initial words of windows that are counters. If absent,
   * epochs are 0 and windows have their usual values.
   */
  readonly start?: StartValue;
}

/**
 * Makes the launches of a sequence on this rank, waits for all of them, and reads the windows.
 * Every rank calls it.
 */
export async function runSequence(
  comm: Communicator,
  kernel: Kernel,
  plan: ArgumentPlan,
  sequence: LaunchSequence,
  { grid, block, bytes, start }: SequenceRun,
): Promise<void> {
  const lsaBarrierCount = grid;
  const prepare = { bytes, lsaBarrierCount, ...(start === undefined ? {} : { start }) };
  const first = await prepareArguments(comm, plan, prepare);
  const places: [Stream, PreparedArguments][] = [[comm.defaultStream, first]];
  while (sequence.launches.some(({ stream }) => stream >= places.length)) {
    const more = await prepareArguments(comm, plan, { ...prepare, devComms: first.devComms });
    places.push([await comm.createStream(), more]);
  }
  for (const [i, { stream, counts }] of sequence.launches.entries()) {
    const place = places[stream];
    if (place === undefined) throw new RangeError(`no stream ${stream}`);
    const label = `launch ${i + 1} of ${sequence.launches.length}`;
    const options = { grid, block, stream: place[0], ...(sequence.launches.length === 1 ? {} : { label }) };
    await comm.launch(kernel, options, { ...place[1].args, ...valuesOf(kernel, counts) });
  }
  for (const [stream] of places) await comm.synchronize(stream);
  for (const [, { windows }] of places) for (const win of windows.values()) await win.read();
}

function valuesOf(kernel: Kernel, counts: Readonly<Record<string, number>>): Readonly<Record<string, unknown>> {
  const values = Object.entries(counts).flatMap(([name, count]) => {
    const type = kernel.params[name];
    return type?.kind === 'scalar' ? [[name, scalarArgument(name, type.scalar, String(count))] as const] : [];
  });
  return Object.fromEntries(values);
}
