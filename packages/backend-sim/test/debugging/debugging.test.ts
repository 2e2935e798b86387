import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { sim } from '@nccl-ts/backend-sim';
import { emitJs, simCapabilities } from '@nccl-ts/codegen';
import { World } from '@nccl-ts/communicator';
import { validate, type ValidatedModule } from '@nccl-ts/ir';
import { expect, inject, test } from 'vitest';

import { debugged } from './kernel.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

function validated(): ValidatedModule {
  const checked = validate(debugged.compile(), { ...simCapabilities, multimem: false });
  if (!checked.ok) throw new Error('the kernel is invalid');
  return checked.module;
}

const url = 'nccl-ts:///debugged-4x1x1.js';
const file = fileURLToPath(new URL('kernel.ts', import.meta.url));
const specialisation = { blockDim: { x: 4, y: 1, z: 1 }, fields: {} };

/** Returns the line of the kernel's file that contains `text`, from 0. */
function lineOf(text: string): number {
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .findIndex((one) => one.includes(text));
  expect(line).toBeGreaterThanOrEqual(0);
  return line;
}

function mapped(): { readonly text: string; readonly map: SourceMap } {
  const { text } = emitJs(validated(), specialisation, { sourceMap: true });
  const [, data = ''] = /\/\/# sourceMappingURL=data:application\/json;charset=utf-8;base64,(\S+)$/.exec(text) ?? [];
  const payload: SourceMapPayload = JSON.parse(Buffer.from(data, 'base64').toString());
  return { text, map: new SourceMap(payload) };
}

/**
 * Returns the lines of the script, which has two lines before the text, that were generated for a
 * line of the kernel.
 */
function generatedLines(
  { text, map }: { readonly text: string; readonly map: SourceMap },
  line: number,
): readonly number[] {
  return text.split('\n').flatMap((generated, i) => {
    const entry: unknown = map.findEntry(i + 2, Math.max(generated.search(/\S/), 0));
    if (typeof entry !== 'object' || entry === null || !('originalLine' in entry)) return [];
    return entry.originalLine === line && 'generatedLine' in entry && entry.generatedLine === i + 2 ? [i + 2] : [];
  });
}

test('lines of the text map to lines of the kernel’s file, and variables have the kernel’s names', async () => {
  const { text, map } = mapped();
  const lines = text.split('\n');
  expect(text).not.toContain('/*@');
  expect(map.payload.sources).toEqual([`file://${file}`]);
  expect(map.payload.names).toEqual(expect.arrayContaining(['total', 'step']));
  const at = generatedLines({ text, map }, lineOf('total += step'));
  expect(at.length).toBeGreaterThan(0);
  expect(at.map((line) => lines[line - 2]).join('\n')).toContain('_total');
  const declared = lines.findIndex((line) => line.includes('v0_total'));
  expect(map.findEntry(declared + 2, lines[declared]?.indexOf('v0_total') ?? 0)).toMatchObject({ name: 'total' });
  // Without the option, there is no such output.
  const plain = emitJs(validated(), specialisation).text;
  expect(plain).not.toContain('sourceMappingURL');
  expect(lines.slice(0, plain.split('\n').length - 1).join('\n')).toBe(plain.trimEnd());
});

/** A debugger in another thread, because this one stops. */
const debuggerText = `
const { Session } = require('node:inspector');
const { parentPort, workerData } = require('node:worker_threads');
const session = new Session();
session.connectToMainThread();
parentPort.on('message', () => undefined); // Who listens lives on.
const send = (method, params) => new Promise((resolve, reject) =>
  session.post(method, params, (error, result) => error ? reject(new Error(error.message)) : resolve(result)));
const stops = [];
session.on('Debugger.paused', async ({ params }) => {
  const [frame] = params.callFrames;
  const values = {};
  for (const { type, object } of frame.scopeChain.filter(({ type }) => type === 'local' || type === 'block')) {
    const { result } = await send('Runtime.getProperties', { objectId: object.objectId, ownProperties: true });
    for (const { name, value } of result) values[name] ??= value && value.value;
  }
  stops.push({ line: frame.location.lineNumber, values });
  if (stops.length === 3) await send('Debugger.disable');
  else await send('Debugger.resume');
  if (stops.length === 3) { parentPort.postMessage(stops); }
});
(async () => {
  await send('Debugger.enable');
  await send('Debugger.setBreakpointByUrl', { url: workerData.url, lineNumber: workerData.line });
  parentPort.postMessage('ready');
})();
`;

test.for(slow)(
  'a breakpoint in a kernel stops, and shows the values of its variables',
  { timeout: 60_000 },
  async () => {
    const made = mapped();
    const [line] = generatedLines(made, lineOf('total += step'));
    const attached = new Worker(debuggerText, { eval: true, workerData: { url, line } });
    try {
      const messages: unknown[] = [];
      let arrived = (): void => undefined;
      attached.on('message', (message) => {
        messages.push(message);
        arrived();
      });
      const message = async (): Promise<unknown> => {
        while (messages.length === 0) await new Promise<void>((resolve) => (arrived = resolve));
        return messages.shift();
      };
      expect(await message()).toBe('ready');
      await using world = await World.open({ backend: sim({ ranks: 1, sourceMaps: true }) });
      await world.run(async (comm) => comm.launch(debugged, { grid: 1, block: 4 }, { limit: 3 }));
      const stops = await message();
      // In the map these are named `total` and `step`.
      expect(stops).toMatchObject([0, 1, 2].map((step) => ({ line, values: { t: 0, v0_total: 0, v1_step: step } })));
    } finally {
      await attached.terminate();
    }
  },
);
