import { DOMParser, type Document } from '@xmldom/xmldom';
import { isNcclError } from '@nccl-ts/core';
import { createTimelineRecorder, sliceCategories, timelineSvg, type Timeline } from '@nccl-ts/timeline';
import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';

import { putAndSignal } from './put-and-signal.ts';
import { properties, slicesOf, timelines } from './random-timeline.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Throws if the text is not well-formed, or only almost. */
function parse(svg: string): Document {
  return new DOMParser({ onError: stop }).parseFromString(svg, 'image/svg+xml');
}

function stop(level: string, message: string): void {
  // Texts may contain U+FFFD, which replaces what XML cannot represent.
  if (level === 'warning' && message.startsWith('Unicode replacement character')) return;
  throw new Error(`${level}: ${message}`);
}

function elements(document: Document, name: string, className?: string): readonly Element[] {
  return [...document.getElementsByTagName(name)].filter(
    (element) => className === undefined || (element.getAttribute('class') ?? '').split(' ').includes(className),
  );
}

type Element = ReturnType<Document['getElementsByTagName']>[number];

/** Fewer runs, because parsing takes time. */
const fewer = { ...properties, numRuns: inject('slow') ? 80 : 10 };

/** Four ranks, every category, and names that look like markup. */
function manyTracks(): Timeline {
  const recorder = createTimelineRecorder();
  for (const rank of [0, 1, 2, 3]) {
    recorder.openProcess(rank, rank === 2 ? 'rank 2 <script>alert("&")</script>' : undefined);
    const tracks = [0, 1].map((cta) => recorder.openTrack(rank, { kind: 'cta', name: `CTA ${cta}`, order: cta }));
    for (const track of tracks) {
      const begin = 1e6 + 2e4 * rank;
      recorder.slice(track, { name: 'kernel', category: 'launch', start: begin, end: begin + 5e6 });
      for (const [index, category] of sliceCategories.slice(1).entries()) {
        const start = begin + 1e4 + 6e5 * index;
        const args = { 'a & b': `"${category}" <'\u0007'>` };
        recorder.slice(track, { name: `${category} ]]>`, category, start, end: start + 5e5, args });
      }
      const flow = recorder.flow('a > b', { track, time: begin + 3e5 });
      if (track < 2) recorder.drop(flow);
      else recorder.finish(flow, { track: track - 2, time: begin + 9e5 });
    }
  }
  return recorder.build();
}

const pictures: readonly (readonly [string, () => string])[] = [
  ['put-and-signal', () => timelineSvg(putAndSignal(), { title: 'Two ranks swap halves, and rank 1 is late' })],
  ['left-out', () => timelineSvg(manyTracks(), { maxTracks: 5, width: 640, idPrefix: 'second' })],
  ['nothing', () => timelineSvg(createTimelineRecorder().build(), { title: 'Nothing & "no one"' })],
];

describe('timelineSvg', () => {
  it.each(pictures)('draws %s', async (name, draw) => {
    const svg = draw();
    expect(parse(svg).documentElement?.localName).toBe('svg');
    await expect(svg).toMatchFileSnapshot(`snapshots/${name}.svg`);
  });

  it('names the peak of a link beside its name if there is room, and in its title otherwise', () => {
    const shown = (width: number): readonly (readonly [label: string, title: string])[] =>
      elements(parse(timelineSvg(putAndSignal(), { width })), 'g', 'link').map((link) => [
        link.getElementsByTagName('text')[0]?.textContent ?? '',
        link.getElementsByTagName('title')[0]?.textContent ?? '',
      ]);
    for (const [label, title] of shown(960)) {
      expect(label).toBe('network, to 31.2 GB/s');
      expect(title).not.toContain('GB/s');
    }
    for (const [label, title] of shown(320)) {
      expect(label).toBe('network');
      expect(title).toMatch(/, to 31\.2 GB\/s$/);
    }
  });

  it.for(slow)('is well-formed, and has every slice and every flow with its title, for any recording', () => {
    fc.assert(
      fc.property(timelines, fc.string({ unit: 'binary' }), (timeline, title) => {
        const document = parse(timelineSvg(timeline, { title }));
        const legend = new Set(slicesOf(timeline).map(({ category }) => category)).size;
        expect(elements(document, 'g', 'slice')).toHaveLength(slicesOf(timeline).length + legend);
        expect(elements(document, 'path', 'flow')).toHaveLength(timeline.flows.length);
        const titles = elements(document, 'title').filter((one) => !one.textContent?.startsWith('critical path: '));
        expect(titles).toHaveLength(1 + slicesOf(timeline).length + timeline.flows.length);
        for (const element of document.getElementsByTagName('*')) {
          for (const attribute of element.attributes) expect(attribute.value).not.toMatch(/NaN|Infinity|undefined/);
        }
      }),
      fewer,
    );
  });

  it.for(slow)('keeps bars and ticks inside the picture', () => {
    fc.assert(
      fc.property(timelines, fc.integer({ min: 320, max: 2000 }), (timeline, width) => {
        const document = parse(timelineSvg(timeline, { width }));
        const height = Number(document.documentElement?.getAttribute('height'));
        for (const rect of elements(document, 'rect')) {
          const [x, y, w, h] = ['x', 'y', 'width', 'height'].map((name) => Number(rect.getAttribute(name) ?? 0));
          expect(Math.min(x ?? -1, y ?? -1, w ?? -1, h ?? -1)).toBeGreaterThanOrEqual(0);
          expect((x ?? 0) + (w ?? 0)).toBeLessThanOrEqual(width);
          expect((y ?? 0) + (h ?? 0)).toBeLessThanOrEqual(height);
        }
        // However short a slice is, it is visible.
        for (const bar of elements(document, 'g', 'slice').flatMap((slice) => [
          ...slice.getElementsByTagName('rect'),
        ])) {
          expect(Number(bar.getAttribute('width'))).toBeGreaterThanOrEqual(1);
        }
        const ticks = elements(document, 'g', 'axis').flatMap((axis) => [...axis.getElementsByTagName('line')]);
        expect(ticks.length).toBeLessThan(width / 90 + 2);
        for (const tick of ticks) {
          expect(Number(tick.getAttribute('x1'))).toBeGreaterThanOrEqual(14);
          expect(Number(tick.getAttribute('x1'))).toBeLessThanOrEqual(width - 14 + 0.01);
        }
      }),
      fewer,
    );
  });

  it('gives labels of the axis enough room', () => {
    const recorder = createTimelineRecorder();
    recorder.openProcess(0);
    const track = recorder.openTrack(0, { kind: 'cta', name: 'CTA 0' });
    const start = 3e9 + 1;
    recorder.slice(track, { name: 'late and short', category: 'compute', start, end: start + 12 });
    const document = parse(timelineSvg(recorder.build(), { width: 500 }));
    const labels = elements(document, 'g', 'axis').flatMap((axis) => [...axis.getElementsByTagName('text')]);
    expect(labels.map((label) => label.textContent)).toEqual(['3.000000005 s', '3.000000010 s']);
  });

  it('has text for screen readers', () => {
    const svg = parse(timelineSvg(putAndSignal(), { title: 'A swap', idPrefix: 'swap' })).documentElement;
    expect(svg?.getAttribute('role')).toBe('img');
    expect(svg?.getAttribute('aria-labelledby')).toBe('swap-title swap-desc');
    const [title] = [...(svg?.getElementsByTagName('title') ?? [])];
    const [desc] = [...(svg?.getElementsByTagName('desc') ?? [])];
    expect([title?.getAttribute('id'), title?.textContent]).toEqual(['swap-title', 'A swap']);
    expect([desc?.getAttribute('id'), desc?.textContent]).toEqual([
      'swap-desc',
      '2 ranks, 6 tracks, 28 slices, 6 arrows, from 0 ns to 7.96 µs.',
    ]);
  });

  it('states what was left out', () => {
    const timeline = manyTracks();
    const texts = (maxTracks: number): string => {
      const document = parse(timelineSvg(timeline, { maxTracks }));
      return elements(document, 'text')
        .map((text) => text.textContent)
        .join('\n');
    };
    expect(texts(8)).not.toContain('Left out');
    expect(texts(7)).toContain('Left out: 1 track and the 1 arrow that touch them.');
    expect(texts(2)).toContain('Left out: 6 tracks and the 6 arrows that touch them.');
    expect(texts(2)).not.toContain('rank 1');
  });

  it('refuses timelines that it cannot draw', () => {
    const timeline = putAndSignal();
    for (const options of [{ width: 319 }, { width: NaN }, { maxTracks: 0 }, { idPrefix: '1"' }, { idPrefix: '' }]) {
      let thrown: unknown;
      try {
        timelineSvg(timeline, options);
      } catch (error) {
        thrown = error;
      }
      expect(isNcclError(thrown, 'NCCL_INVALID_ARGUMENT')).toBe(true);
    }
  });
});
