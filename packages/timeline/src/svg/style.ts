import type { SliceCategory } from '@nccl-ts/core';
import { sliceCategories } from '../slice-category.ts';

/** The fill colour, and that of text on it. */
type Colours = readonly [string, string];

const light: Readonly<Record<SliceCategory, Colours>> = {
  launch: ['#d5dbe3', '#1f2630'],
  compute: ['#2f6fd0', '#ffffff'],
  wait: ['#fbe7bd', '#4d3800'],
  put: ['#1d7f4b', '#ffffff'],
  get: ['#0f7c8c', '#ffffff'],
  signal: ['#7a4fd0', '#ffffff'],
  barrier: ['#b43a7d', '#ffffff'],
  fence: ['#8a5a2b', '#ffffff'],
  network: ['#b9520f', '#ffffff'],
};

const dark: Readonly<Record<SliceCategory, Colours>> = {
  launch: ['#424b57', '#eef2f7'],
  compute: ['#6ba6ff', '#0b1220'],
  wait: ['#4a3a14', '#f6d98f'],
  put: ['#4cc38a', '#06170e'],
  get: ['#4fc6d6', '#04181b'],
  signal: ['#b79bff', '#150b2b'],
  barrier: ['#f48fc4', '#2a0718'],
  fence: ['#d0a36c', '#231405'],
  network: ['#f2965a', '#241003'],
};

const lightGround = {
  ground: '#ffffff',
  lane: '#f4f6f9',
  line: '#d9dfe7',
  text: '#1f2630',
  muted: '#5b6675',
  arrow: '#27303c',
  hatch: '#c99a2e',
  critical: '#c22b2b',
};
const darkGround = {
  ground: '#0f141b',
  lane: '#171d26',
  line: '#2c3541',
  text: '#e6ebf2',
  muted: '#98a3b3',
  arrow: '#dbe3ee',
  hatch: '#9b7a2c',
  critical: '#ff7b72',
};

/** The name of the custom property with which a page may set the colour of a category. */
function fillOf(category: SliceCategory): string {
  return `--timeline-${category}`;
}

function inkOf(category: SliceCategory): string {
  return `--timeline-${category}-text`;
}

function properties(
  ground: Readonly<Record<string, string>>,
  colours: Readonly<Record<SliceCategory, Colours>>,
): string {
  return [
    ...Object.entries(ground).map(([name, colour]) => `--timeline-${name}:${colour};`),
    ...sliceCategories.map((category) => {
      const [fill, ink] = colours[category];
      return `${fillOf(category)}:${fill};${inkOf(category)}:${ink};`;
    }),
  ].join('');
}

/**
 * The picture's style sheet. Every rule begins with the picture's own class, so it changes nothing
 * else on the page. Its colours use `:where`, so that the page's own rules have precedence.
 */
export function styleSheet(hatch: string): string {
  const root = '.nccl-ts-timeline';
  return [
    `:where(${root}){${properties(lightGround, light)}}`,
    `@media (prefers-color-scheme:dark){:where(${root}){${properties(darkGround, dark)}}}`,
    `${root}{font:11px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}`,
    `${root} text{fill:var(--timeline-text)}`,
    `${root} .ground{fill:var(--timeline-ground)}`,
    `${root} .heading{font-size:14px;font-weight:600}`,
    `${root} .rank{font-size:12px;font-weight:600}`,
    `${root} .muted{fill:var(--timeline-muted)}`,
    `${root} .lane{fill:var(--timeline-lane)}`,
    `${root} .line{stroke:var(--timeline-line);fill:none}`,
    `${root} .end{text-anchor:end}`,
    `${root} .middle{text-anchor:middle}`,
    `${root} .slice rect{stroke:var(--timeline-ground);stroke-width:.75}`,
    ...sliceCategories.map(
      (category) =>
        `${root} .${category} rect{fill:var(${fillOf(category)})}${root} .${category} text{fill:var(${inkOf(category)})}`,
    ),
    // Waits differ from work by more than their colour.
    `${root} .wait .hatch{fill:url(#${hatch});stroke:none}`,
    `${root} .wait text{paint-order:stroke;stroke:var(${fillOf('wait')});stroke-width:3;stroke-linejoin:round}`,
    `${root} .hatching{stroke:var(--timeline-hatch);stroke-width:1.2}`,
    `${root} .flow{fill:none;stroke:var(--timeline-arrow);stroke-width:1.25;stroke-opacity:.75}`,
    `${root} .faint{stroke-opacity:.3;stroke-width:1}`,
    `${root} .critical,${root} .path{fill:none;stroke:var(--timeline-critical);stroke-width:2;stroke-opacity:1}`,
    `${root} .use{fill:var(${fillOf('compute')});fill-opacity:.45}`,
    `${root} .halo{fill:none;stroke:var(--timeline-ground);stroke-width:3.5;stroke-opacity:.65}`,
    `${root} .head{fill:var(--timeline-arrow)}`,
  ].join('\n');
}
