import { createTimelineRecorder, type FlowPoint, type Timeline, type TimelineRecorder } from '@nccl-ts/timeline';

/**
 * Two ranks that swap halves. Each puts its half to the other, signals, waits for the other's
 * signal, and adds the halves. Rank 1 is late. Slices are recorded in a simulator's order, and not
 * in the order of time.
 */
export function putAndSignal(): Timeline {
  const recorder = createTimelineRecorder();
  const late = [0, 2600];
  const ranks = late.map((delay, rank) => {
    recorder.openProcess(rank);
    return {
      delay,
      ctas: [0, 1].map((cta) => recorder.openTrack(rank, { kind: 'cta', name: `CTA ${cta}`, order: cta })),
      queue: recorder.openTrack(rank, { kind: 'network', name: `context 0 to rank ${1 - rank}` }),
    };
  });
  const sends = ranks.map(({ delay, ctas, queue }) => send(recorder, ctas[0] ?? 0, queue, delay));
  for (const [rank, { delay, ctas }] of ranks.entries()) {
    const arrival = sends[1 - rank];
    if (arrival === undefined) continue;
    for (const [cta, track] of ctas.entries()) {
      const waits = delay + (cta === 0 ? 1500 : 900);
      const met = Math.max(arrival.time, waits + 40) + 60 * cta;
      recorder.slice(track, {
        name: 'waitSignal',
        category: 'wait',
        start: waits,
        end: met,
        args: { signal: 0, least: 1 },
      });
      if (cta === 0) recorder.finish(arrival.flow, { track, time: met });
      recorder.slice(track, { name: 'reduce', category: 'compute', start: met, end: met + 1150.5 });
      recorder.begin(track, { name: 'barrier.sync', category: 'barrier', start: met + 1150.5 });
      recorder.end(track, met + 1480, { index: cta });
      recorder.slice(track, {
        name: 'swapAndAdd',
        category: 'launch',
        start: delay,
        end: met + 1600,
        args: { block: 256 },
      });
    }
    recorder.slice(ctas[1] ?? 0, { name: 'copy', category: 'compute', start: delay + 150, end: delay + 900 });
  }
  return recorder.build();
}

function send(recorder: TimelineRecorder, cta: number, queue: number, delay: number): Arrival {
  recorder.slice(cta, { name: 'stage', category: 'compute', start: delay + 120, end: delay + 800 });
  recorder.slice(cta, { name: 'put', category: 'put', start: delay + 820, end: delay + 1080, args: { bytes: 65536 } });
  recorder.slice(cta, { name: 'signal', category: 'signal', start: delay + 1080, end: delay + 1300 });
  const put = recorder.flow('put', { track: cta, time: delay + 1000 });
  const signal = recorder.flow('signal', { track: cta, time: delay + 1280 });
  recorder.slice(queue, {
    name: '64 KiB',
    category: 'network',
    start: delay + 1100,
    end: delay + 3200,
    args: { bytes: 65536 },
  });
  recorder.slice(queue, { name: 'signal', category: 'network', start: delay + 3200, end: delay + 3650 });
  recorder.finish(put, { track: queue, time: delay + 1100, side: 'starting' });
  recorder.finish(signal, { track: queue, time: delay + 3200, side: 'starting' });
  const from: FlowPoint = { track: queue, time: delay + 3650 };
  return { flow: recorder.flow('signal', from), time: delay + 3700 };
}

interface Arrival {
  readonly flow: number;
  readonly time: number;
}
