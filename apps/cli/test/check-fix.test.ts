import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { build, fixtures, ncclTs, served } from './support/command.ts';
import { FreshFolder } from './support/fresh-folder.ts';

const timeout = 120_000;
const folder = new FreshFolder('check-fix');
const slow = inject('slow') ? [0] : [];
const quick = inject('slow') ? [] : [0];

beforeAll(() => {
  build();
  folder.install({ 'nccl-ts': 'packages/nccl-ts' });
  folder.write('shift.ts', shift);
}, timeout);
afterAll(() => {
  folder.remove();
});

/** Each rank stores a number at the next one, and its flag does not release it. */
const shift = `import { devComm, kernel, lsa, window, type Communicator } from 'nccl-ts';

const shift = kernel(
  { name: 'shift', use: { lsa }, params: { comm: devComm, data: window, out: window } },
  ({ lsa, waitUntil, u32 }, { comm, data, out }) => {
    const to = lsa.pointer(data, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
    const own = lsa.localPointer(data, u32, 0);
    to.store(1, 7);
    to.store(0, 1, 'relaxed', 'system');
    waitUntil(() => own.load(0, 'acquire', 'system') === 1);
    lsa.localPointer(out, u32, 0).store(0, own.load(1));
  },
);

export async function host(comm: Communicator): Promise<void> {
  const data = await comm.allocWindow('u32', 2);
  const out = await comm.allocWindow('u32', 1);
  await comm.launch(shift, { grid: 1, block: 1 }, { comm: await comm.createDevComm(), data, out });
  await comm.synchronize();
}
`;

/** The parts of a SARIF log that these tests read. */
interface FixedLog {
  readonly runs: readonly {
    readonly results: readonly {
      readonly level: string;
      readonly fixes?: readonly {
        readonly description: { readonly text: string };
        readonly artifactChanges: readonly {
          readonly artifactLocation: { readonly uri: string };
          readonly replacements: readonly {
            readonly deletedRegion: { readonly startLine: number; readonly endLine: number };
            readonly insertedContent: { readonly text: string };
          }[];
        }[];
      }[];
    }[];
  }[];
}

describe('check --fix', () => {
  it.for(quick)(
    'prints the first repair after the report, and SARIF carries it at the first error',
    { timeout },
    async () => {
      const { code, stdout } = await ncclTs(['check', 'shift.ts', '--fix', '--sarif', 'shift.sarif'], folder.path);
      expect(code).toBe(1);
      expect(stdout).toContain('error[race]');
      expect(stdout).toContain("+    to.store(0, 1, 'release', 'system');");
      expect(stdout).toContain('nccl-ts repair shift.ts --write shift.ts writes it');
      const log: FixedLog = JSON.parse(readFileSync(join(folder.path, 'shift.sarif'), 'utf8'));
      const fixes = log.runs[0]?.results.map((one) => one.fixes?.length);
      expect(fixes?.[0]).toBe(1);
      const [change] = log.runs[0]?.results[0]?.fixes?.[0]?.artifactChanges ?? [];
      expect(change?.artifactLocation.uri).toBe('shift.ts');
      const [replacement] = change?.replacements ?? [];
      const line = shift.split('\n').findIndex((text) => text.includes("1, 'relaxed'")) + 1;
      expect(replacement?.deletedRegion).toMatchObject({ startLine: line, endLine: line + 1 });
      expect(replacement?.insertedContent.text).toBe("    to.store(0, 1, 'release', 'system');\n");
      expect(readFileSync(join(folder.path, 'shift.ts'), 'utf8')).toBe(shift);
    },
  );

  it.for(slow)('has the repair in JSON, and nothing where the program is right', { timeout }, async () => {
    const json = await ncclTs(['check', 'shift.ts', '--fix', '--json', '--ranks', '2'], folder.path);
    expect(JSON.parse(json.stdout)).toMatchObject({ verdict: 'race', fix: { silences: false, isSource: true } });
    folder.write('right.ts', shift.replace("'relaxed'", "'release'"));
    const right = await ncclTs(['check', 'right.ts', '--fix'], folder.path);
    expect(right.code).toBe(0);
    expect(right.stdout).not.toContain('fix:');
  });

  it.for(slow)('changes PTX with a harness', { timeout }, async () => {
    const line = 'check all-reduce-relaxed.ptx --harness launch.ts --fix';
    const { code, stdout } = await served(line.split(' '), join(fixtures, 'cuda'));
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fix: .*release/mu);
    expect(stdout).toMatch(/^\+.*\.release\.sys/mu);
  });

  it.for(quick)('says at once where nothing can be changed', { timeout }, async () => {
    const kernel = await served(['check', 'exchange.ts', 'exchange', '--fix']);
    expect(kernel.code).toBe(2);
    const several = await served(['check', 'exchange.ts', 'host.ts', '--fix']);
    expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('--fix is for one program')]);
  });
});
