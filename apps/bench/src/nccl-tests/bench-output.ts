import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { version } from '@nccl-ts/core';
import type { BenchOptions, EnvironmentVariables } from './bench-options.ts';
import type { ProgressLine } from './progress.ts';
import {
  timestampOf,
  type BenchConfig,
  type BenchDevice,
  type BenchRow,
  type BenchSummary,
} from './report/bench-report.ts';
import { jsonReport } from './report/json-report.ts';
import { configLines, deviceLine, footerLines, NCCL_TESTS_VERSION, rowLine, tableHead } from './report/text-report.ts';
import type { BenchListener } from './run-bench.ts';

/** A destination of text. */
export interface TextOutput {
  write(text: string): unknown;
}

/** The information that an output needs besides the options. */
export interface OutputContext {
  readonly args: readonly string[];
  readonly env: EnvironmentVariables;
  readonly ncclVersion: number;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly progress: ProgressLine;
}

/** The variables that affect NCCL and this command. Others are not reported. */
const printedVariables = /^(NCCL|CUDA_VISIBLE_DEVICES=)/;

/** Writes the table row by row, and the JSON and the chart at the end. */
export class BenchOutput implements BenchListener {
  readonly #options: BenchOptions;
  readonly #context: OutputContext;
  readonly #startTime = timestampOf(new Date());
  readonly #rows: BenchRow[] = [];
  readonly #jsonFile: { readonly name: string; readonly descriptor: number } | undefined;
  #started: { readonly config: BenchConfig; readonly devices: readonly BenchDevice[] } | undefined;

  /**
   * Opens the file for JSON, as the first of `FILE`, `FILE.0`, `FILE.1` and so on that does not
   * exist yet.
   */
  constructor(options: BenchOptions, context: OutputContext) {
    this.#options = options;
    this.#context = context;
    this.#jsonFile = options.jsonFile === undefined ? undefined : openNew(options.jsonFile);
  }

  started(config: BenchConfig, devices: readonly BenchDevice[]): void {
    this.#started = { config, devices };
    const { backend, algorithm, notes } = this.#options;
    const how = algorithm === undefined ? '' : `, algorithm ${algorithm}`;
    this.#lines([
      ...(this.#jsonFile === undefined ? [] : [`# Writing JSON output to ${this.#jsonFile.name}`]),
      `# nccl-ts-bench ${version} on ${backend}${how}, in the format of nccl-tests ${NCCL_TESTS_VERSION}`,
    ]);
    for (const note of notes) this.note(note);
    this.#lines([...configLines(config, this.#context.ncclVersion), ...devices.map(deviceLine), ...tableHead(config)]);
  }

  doing(what: string): void {
    this.#context.progress.show(what);
  }

  note(text: string): void {
    this.#context.progress.clear();
    this.#context.stderr.write(`note: ${text}\n`);
  }

  row(row: BenchRow): void {
    this.#rows.push(row);
    const columns = this.#started?.config;
    if (columns === undefined) return;
    // With several contenders, the name of the row's contender comes last, as a comment.
    const whose = row.experiment === '' ? '' : `  # ${row.experiment}`;
    this.#lines([`${rowLine(row, columns)}${whose}`]);
  }

  /** The summary of the rows. */
  summary(): BenchSummary {
    const measures = this.#rows
      .flatMap(({ outOfPlace, inPlace }) => [outOfPlace, inPlace])
      .filter((m) => m !== undefined);
    return {
      outOfBounds: measures.filter(({ wrong = 0 }) => wrong > 0).length,
      averageBusBw: measures.reduce((sum, { busBw }) => sum + busBw, 0) / measures.length,
      minBusBw: this.#options.minBusBw,
    };
  }

  /** Writes the end of the report. `error` is the error that interrupted the run, if any. */
  async finish(error?: string): Promise<void> {
    this.#context.progress.clear();
    const started = this.#started;
    const summary = this.summary();
    if (started !== undefined && error === undefined) this.#lines(footerLines(summary, started.config.program));
    if (this.#jsonFile !== undefined || this.#options.jsonOnStdout) this.#writeJson(error);
    const { plot, program, backend } = this.#options;
    if (plot === undefined || this.#rows.length === 0) return;
    const ranks = started?.devices.length ?? 0;
    // Loaded only if needed, because it takes longer than everything else.
    const { chartSvg, pngOf } = await import('./chart.ts');
    const svg = chartSvg(this.#rows, `${program.name}, ${ranks} ranks on ${backend}`);
    writeFileSync(plot.file, plot.format === 'svg' ? svg : await pngOf(svg));
  }

  #writeJson(error: string | undefined): void {
    const { config, devices } = this.#started ?? { config: { ...this.#options.config, nGpus: 0 }, devices: [] };
    const { args, env, ncclVersion, stdout } = this.#context;
    const text = jsonReport({
      startTime: this.#startTime,
      endTime: timestampOf(new Date()),
      args,
      env: Object.entries(env)
        .map(([name, value]) => `${name}=${value ?? ''}`)
        .filter((line) => printedVariables.test(line)),
      ncclVersion,
      config,
      devices,
      rows: this.#rows,
      summary: error === undefined ? this.summary() : undefined,
      ...(error === undefined ? {} : { error }),
    });
    if (this.#options.jsonOnStdout) stdout.write(`${text}\n`);
    if (this.#jsonFile === undefined) return;
    writeSync(this.#jsonFile.descriptor, text);
    closeSync(this.#jsonFile.descriptor);
  }

  #lines(lines: readonly string[]): void {
    if (this.#options.jsonOnStdout) return;
    this.#context.progress.clear();
    for (const line of lines) this.#context.stdout.write(`${line}\n`);
  }
}

function openNew(file: string): { readonly name: string; readonly descriptor: number } {
  for (let attempt = -1; ; attempt++) {
    const name = attempt < 0 ? file : `${file}.${attempt}`;
    try {
      return { name, descriptor: openSync(name, 'wx') };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}
