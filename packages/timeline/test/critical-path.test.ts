import { expect, test } from 'vitest';
import { criticalPath, createTimelineRecorder, timelineSvg, type Timeline } from '../src/index.ts';

/** Rank 1 waits for the flags of two others. The later one determines the end. */
function twoFlags(): Timeline {
  const recorder = createTimelineRecorder();
  const tracks = [0, 1, 2].map((rank) => {
    recorder.openProcess(rank);
    return recorder.openTrack(rank, { kind: 'cta', name: 'CTA 0' });
  });
  const [early = 0, waiting = 0, late = 0] = tracks;
  recorder.slice(early, { name: 'compute', category: 'compute', start: 0, end: 300 });
  recorder.slice(late, { name: 'compute', category: 'compute', start: 100, end: 600 });
  recorder.slice(waiting, { name: 'waitAll', category: 'wait', start: 50, end: 700 });
  recorder.slice(waiting, { name: 'compute', category: 'compute', start: 700, end: 900 });
  recorder.finish(recorder.flow('store', { track: early, time: 300 }), { track: waiting, time: 400 });
  recorder.finish(recorder.flow('store', { track: late, time: 600 }), { track: waiting, time: 700, side: 'ending' });
  return recorder.build();
}

test('the critical path goes back along the flow that ended the last wait', () => {
  expect(criticalPath(twoFlags())).toEqual([
    { track: 2, from: 100, to: 600 },
    { track: 1, from: 700, to: 900, flow: 1 },
  ]);
});

test('the picture has the path below its lanes and one bold arrow, and names it in the legend', () => {
  const svg = timelineSvg(twoFlags());
  expect(svg.match(/class="path"/g)).toHaveLength(3);
  expect(svg.match(/class="flow critical"/g)).toHaveLength(1);
  expect(svg).toContain('>critical path</text>');
});

test('without slices there is no path', () => {
  expect(criticalPath(createTimelineRecorder().build())).toEqual([]);
});
