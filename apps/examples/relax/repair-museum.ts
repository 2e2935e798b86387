/**
 * Repairs the broken kernels of the museum, and says which repairs are the human's. Needs nvcc.
 *
 * npx tsx --conditions=@nccl-ts/source repair-museum.ts [--folders a,b] [--patience 8]
 * [--out repair-museum.json]
 */
import { repair } from '@nccl-ts/relax';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { folders, museumKernel } from './museum-kernels.ts';
import { resultsFile } from './results-file.ts';
import { likeness } from './same-kernel.ts';

const { values } = parseArgs({
  options: { folders: { type: 'string' }, patience: { type: 'string', default: '8' }, out: { type: 'string' } },
});
const run = promisify(execFile);

async function compile(text: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'repair-'));
  try {
    const [from, to] = [join(folder, 'kernel.cu'), join(folder, 'kernel.ptx')];
    writeFileSync(from, text);
    await run('nvcc', ['-ptx', '-arch=sm_90', '-lineinfo', '-o', to, from]);
    return readFileSync(to, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const writeResults = resultsFile(values.out);
const results: Record<string, unknown>[] = [];
for (const folder of values.folders?.split(',') ?? folders) {
  const broken = await museumKernel(folder, 'broken');
  const mended = await museumKernel(folder, 'mended');
  const file = broken.source.split('/').at(-1) ?? '';
  const [begin, used] = [performance.now(), process.cpuUsage()];
  const report = await repair(broken.harness, broken.text, {
    name: broken.name,
    patience: Number(values.patience),
    seconds: 30,
    author: { file, text: readFileSync(broken.source, 'utf8'), compile },
    ...(broken.residentCtas === undefined ? {} : { residentCtas: broken.residentCtas }),
  });
  const seconds = Math.round((performance.now() - begin) / 100) / 10;
  const { user, system } = process.cpuUsage(used);
  const result = {
    kernel: folder,
    finding: report.finding?.kind,
    human: report.repairs.map(({ text }) => likeness(text, mended.text)),
    repairs: report.repairs.map(({ cost, silences, isSource, proven, sampled, fails, diff }) => ({
      cost,
      silences,
      isSource,
      proven,
      sampled,
      fails: fails.map(({ input }) => input),
      diff,
    })),
    ...(report.reason === undefined ? {} : { reason: report.reason }),
    checks: report.checks,
    seconds,
    processorSeconds: Math.round((user + system) / 1e5) / 10,
  };
  results.push(result);
  write();
  console.log(
    folder,
    result.finding,
    result.reason ?? '',
    `${seconds} s (${(user + system) / 1e6} s of processor time)`,
    result.human.join(', '),
  );
  for (const { diff } of report.repairs) console.log(diff);
}

/** Writes what is known so far. */
function write(): void {
  const summary = {
    kernels: results.length,
    mended: results.filter(({ reason }) => reason === undefined).length,
    asTheHuman: results.filter(({ human }) => Array.isArray(human) && human.some((one) => one !== 'different')).length,
  };
  writeResults(summary, results);
}
