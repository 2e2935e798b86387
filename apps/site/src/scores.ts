/**
 * Measures what Lighthouse measures on a phone, for each kind of page:
 * `pnpm --filter @nccl-ts/site scores`. It writes `results/scores.json`, and fails if a document
 * has less than 95 for speed, or anything that axe-core finds.
 */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import process from 'node:process';
import { medianOf } from '@nccl-ts/core';
import type { Browser } from 'playwright-core';
import { accessibilityProblems } from './accessibility.ts';
import { launchChromium } from './chromium.ts';
import { root, site } from './folders.ts';
import { machineText } from './machine-text.ts';
import { serve, type SimulatedConnection } from './serve.ts';
import { SLOWER, slowDown } from './slow.ts';

const TIMES = 3;
const LEAST = 95;
/** Lighthouse's "slow 4G" for phones. */
const slow4G: SimulatedConnection = { latency: 150, throughput: (1_638_400 / 8) * 0.9 };
const pages = {
  landing: '',
  document: 'docs/tutorial/first-kernel/',
  API: 'packages/lsa/api/',
  codes: 'docs/reference/codes/',
  museum: 'docs/museum/no-end-barrier/',
  playground: 'playground/',
  'CUDA kernels': 'ptx/',
} as const;
/** The pages with programs are shown beside the others. */
const apps: readonly string[] = ['playground', 'CUDA kernels'];

/** The metrics of Lighthouse 10, in ms, and the layout's shift. */
interface Metrics {
  readonly firstPaint: number;
  readonly largestPaint: number;
  /**
   * Of all tasks of the page's thread: what is over 50 ms of each. It is counted in the time of the
   * CPU, because other programs use this machine too.
   */
  readonly blocking: number;
  readonly shift: number;
}

/** Runs in the page before its own scripts. */
const observe = `
  const seen = { largestPaint: 0, shift: 0 };
  globalThis.seenByScores = seen;
  new PerformanceObserver((list) => { seen.largestPaint = list.getEntries().at(-1).startTime; })
    .observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => { for (const one of list.getEntries()) seen.shift += one.value; })
    .observe({ type: 'layout-shift', buffered: true });`;

const read = `(() => {
  const firstPaint = performance.getEntriesByName('first-contentful-paint')[0].startTime;
  return { firstPaint, ...seenByScores };
})()`;

async function measure(browser: Browser, url: string): Promise<Omit<Metrics, 'blocking'>> {
  const context = await browser.newContext({
    viewport: { width: 412, height: 823 },
    deviceScaleFactor: 1.75,
    isMobile: true,
    hasTouch: true,
  });
  const page = await context.newPage();
  await page.addInitScript(observe);
  await slowDown(page);
  await page.goto(url, { waitUntil: 'networkidle', timeout: 120_000 });
  await page.waitForTimeout(1000);
  const metrics = await page.evaluate<Omit<Metrics, 'blocking'>>(read);
  await context.close();
  return metrics;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** The time on the CPU, in µs. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string; readonly beginData?: { readonly url?: string } };
}

/** The blocking time of a page with a CPU that is slower. */
async function blockingOf(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 412, height: 823 }, isMobile: true, hasTouch: true });
  const page = await context.newPage();
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', '__metadata'] });
  await page.goto(url, { waitUntil: 'networkidle', timeout: 120_000 });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Chromium's trace has this form
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  await context.close();
  // Chromium renders parts of its own window in other processes.
  const own = traceEvents.find(({ name, args }) => name === 'ParseHTML' && args?.beginData?.url === url)?.pid;
  const threads = new Set(
    traceEvents
      .filter(({ name, args, pid }) => name === 'thread_name' && args?.name === 'CrRendererMain' && pid === own)
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(({ name, pid, tid }) => name.endsWith('RunTask') && threads.has(`${pid} ${tid}`));
  if (tasks.length === 0) throw new Error('The trace has no tasks.');
  return tasks.reduce((sum, { tdur = 0 }) => sum + Math.max(0, (SLOWER * tdur) / 1000 - 50), 0);
}

/**
 * Lighthouse's score of one metric, from 0 to 1: a log-normal curve that gives 0.9 at `good` and
 * 0.5 at `middle`.
 */
function scoreOf(value: number, good: number, middle: number): number {
  if (value <= 0) return 1;
  const x = (Math.log(value) - Math.log(middle)) / (Math.log(middle / good) / 1.281_55) / Math.SQRT2;
  // An approximation of the error function (Abramowitz and Stegun 7.1.26).
  const t = 1 / (1 + 0.327_591_1 * Math.abs(x));
  const tail =
    t *
    (0.254_829_592 + t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429)))) *
    Math.exp(-x * x);
  return (x >= 0 ? tail : 2 - tail) / 2;
}

/** The score of a page. The largest paint stands for the speed index, which is never later. */
function performanceOf({ firstPaint, largestPaint, blocking, shift }: Metrics): number {
  return Math.round(
    100 *
      (0.1 * scoreOf(firstPaint, 1800, 3000) +
        0.1 * scoreOf(largestPaint, 3387, 5800) +
        0.25 * scoreOf(largestPaint, 2500, 4000) +
        0.3 * scoreOf(blocking, 200, 600) +
        0.25 * scoreOf(shift, 0.1, 0.25)),
  );
}

await using slow = await serve(0, { line: slow4G });
await using fast = await serve(0);
const browser = await launchChromium();
const rows: object[] = [];
let failed = false;
for (const [name, path] of Object.entries(pages)) {
  const runs: Metrics[] = [];
  for (let i = 0; i < TIMES; i++) {
    runs.push({ ...(await measure(browser, slow.url + path)), blocking: await blockingOf(browser, fast.url + path) });
  }
  const middle = (key: keyof Metrics): number => medianOf(runs.map((run) => run[key]));
  const metrics: Metrics = {
    firstPaint: Math.round(middle('firstPaint')),
    largestPaint: Math.round(middle('largestPaint')),
    blocking: Math.round(middle('blocking')),
    shift: Number(middle('shift').toFixed(3)),
  };
  const page = await browser.newPage({ viewport: { width: 412, height: 823 } });
  await page.goto(fast.url + path, { waitUntil: 'networkidle' });
  const problems = await accessibilityProblems(page);
  await page.close();
  const row = { page: name, performance: performanceOf(metrics), 'axe-core': problems.length, ...metrics };
  rows.push(row);
  console.log(
    Object.entries(row)
      .map((pair) => pair.join(' '))
      .join(', '),
  );
  for (const problem of problems) console.log(`  ${problem}`);
  if (problems.length > 0 || (!apps.includes(name) && row.performance < LEAST)) failed = true;
}
await browser.close();
await writeFile(
  `${site}results/scores.json`,
  `${JSON.stringify(
    {
      date: new Date().toISOString().slice(0, 10),
      commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim(),
      command: 'npx pnpm@10.34.9 --filter @nccl-ts/site scores',
      machine: machineText(),
      load: (loadavg()[0] ?? Number.NaN).toFixed(1),
      line: slow4G,
      cpu: `${SLOWER} times slower`,
      medians: TIMES,
      rows,
    },
    null,
    2,
  )}\n`,
);
process.exitCode = failed ? 1 : 0;
