import type { WebgpuWorld } from '@nccl-ts/backend-webgpu';
import { isNcclError, medianOf } from '@nccl-ts/core';
import { element, field, showSteps } from './elements.ts';
import { steps, sumRanks, type PageStep, type SumOptions, type Sums } from './sum-ranks.ts';

const form = element('form', HTMLFormElement);
const button = element('button', HTMLButtonElement);
const outcome = element('#outcome', HTMLElement);
const verdict = element('#verdict', HTMLElement);
const report = element('#report', HTMLElement);
const facts = element('#facts', HTMLElement);
const wgsl = element('#wgsl', HTMLElement);
const wgslText = element('#wgsl code', HTMLElement);

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void run();
});

async function run(): Promise<void> {
  button.disabled = true;
  outcome.hidden = true;
  wgsl.hidden = true;
  const progress = showSteps(element('#steps', HTMLElement), steps);
  let world: WebgpuWorld | undefined;
  try {
    const options: Pick<SumOptions, 'ranks' | 'count' | 'variant'> = {
      ranks: Number(field(form, 'ranks')),
      count: Number(field(form, 'count')),
      variant: variantNamed(field(form, 'variant')),
    };
    const sums = await sumRanks({
      ...options,
      onStep: (step: PageStep) => progress.begin(step),
      onWorld: (opened) => {
        world = opened;
      },
    });
    progress.end();
    const passed = sums.wrong === 0;
    show(passed, passed ? 'PASSED' : `FAILED: ${sums.wrong} sums are wrong`, undefined);
    showFacts([...resultFacts(sums, options.ranks * options.count), ...worldFacts(world)]);
  } catch (error) {
    progress.fail();
    show(false, isNcclError(error) ? error.code : 'Something went wrong', textOf(error));
    showFacts(worldFacts(world));
  }
  showWgsl(world);
  button.disabled = false;
}

function variantNamed(name: string): SumOptions['variant'] {
  return name === 'absent' || name === 'beyond' ? name : 'right';
}

/**
 * The text of an error. Reports of deadlocks and faults have several lines, in a fixed-width font.
 */
function textOf(error: unknown): string {
  if (isNcclError(error)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function show(passed: boolean, headline: string, text: string | undefined): void {
  outcome.dataset['passed'] = String(passed);
  verdict.textContent = headline;
  report.hidden = text === undefined;
  report.textContent = text ?? '';
  report.dataset['lines'] = String((text ?? '').split('\n').length);
  outcome.hidden = false;
}

function resultFacts({ expected, milliseconds }: Sums, elements: number): readonly (readonly [string, string])[] {
  return [
    ['Expected sum', `${expected}, in each of ${elements.toLocaleString('en')} elements`],
    ['Time', `${medianOf(milliseconds).toFixed(1)} ms a launch on all ranks, the median of ${milliseconds.length}`],
  ];
}

function worldFacts(world: WebgpuWorld | undefined): readonly (readonly [string, string])[] {
  if (world === undefined) return [];
  const { vendor, architecture, description } = world.adapterInfo;
  const name = [vendor, architecture, description].filter((part) => part !== '').join(', ');
  const adapter: readonly [string, string] = ['GPU', name === '' ? 'the browser does not report it' : name];
  const note = 'This adapter runs on the CPU, so its times say nothing about GPUs.';
  return [adapter, ...(world.software ? [['Software adapter', note] as const] : [])];
}

function showFacts(rows: readonly (readonly [string, string])[]): void {
  facts.replaceChildren(
    ...rows.flatMap(([term, text]) => {
      const dt = document.createElement('dt');
      const dd = document.createElement('dd');
      dt.textContent = term;
      dd.textContent = text;
      return [dt, dd];
    }),
  );
}

function showWgsl(world: WebgpuWorld | undefined): void {
  const texts = world?.executables.flatMap(({ artifacts }) => artifacts.map(({ text }) => text)) ?? [];
  wgslText.textContent = texts.join('\n');
  wgsl.hidden = texts.length === 0;
}
