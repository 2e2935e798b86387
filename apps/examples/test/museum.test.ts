import { existsSync, readFileSync } from 'node:fs';
import { check } from '@nccl-ts/checker';
import { renderReport, type CheckReport, type Finding } from '@nccl-ts/findings';
import { harness, harnessProgram, isHarness, ranksToCheck, translate } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

interface Exhibit {
  readonly folder: string;
  readonly kind: Finding['kind'];
  /** A part of the line of the kernel that the finding shows. */
  readonly line: string;
  /** True if the mistake is in the launch, so that one kernel has two harnesses. */
  readonly isLaunch?: true;
  /** The number of CTAs that each GPU can run at once, if that matters. */
  readonly residentCtas?: number;
}

const exhibits: readonly Exhibit[] = [
  { folder: 'mixed-size-flags', kind: 'race', line: '*(volatile unsigned char *)' },
  { folder: 'fence-in-one-lane', kind: 'race', line: 'sum += peers.data[r][i]' },
  { folder: 'cleared-too-early', kind: 'deadlock', line: 'while ((value = load_acquire(mailbox + stage' },
  { folder: 'two-streams', kind: 'deadlock', line: 'while ((value = load_acquire(from)) == 0)' },
  {
    folder: 'grid-barrier',
    kind: 'deadlock',
    line: 'while (load_acquire(arrived) < gridDim.x)',
    isLaunch: true,
    residentCtas: 4,
  },
  { folder: 'no-end-barrier', kind: 'race', line: 'sum += peers.data[r][i]' },
  { folder: 'flag-in-graph', kind: 'race', line: 'sum += peers.data[r][i]' },
  { folder: 'fused-input-copy', kind: 'race', line: 'buffers[rank][i] = input[i]' },
  { folder: 'stale-signal', kind: 'race', line: 'sum += peers.data[rank][(half + r) * count + i]' },
  { folder: 'sum-of-two-nics', kind: 'race', line: '= inbox[chunk * count + threadIdx.x]' },
  { folder: 'bulk-stage-reuse', kind: 'race', line: 'cp.async.bulk.global.shared::cta.bulk_group' },
  { folder: 'stage-without-fence', kind: 'proxy', line: '+ stages[s][lane]' },
  { folder: 'signal-before-copy', kind: 'race', line: '+ peers.inbox[rank][half + threadIdx.x]' },
  { folder: 'leaving-before-peers', kind: 'race', line: 'multimem.red.relaxed' },
];

const pages = new URL('../../../docs/museum/', import.meta.url);

function textOf(path: string, from: URL): string {
  return readFileSync(new URL(path, from), 'utf8');
}

async function checked({ folder, isLaunch, residentCtas }: Exhibit, name: 'broken' | 'mended'): Promise<CheckReport> {
  const at = new URL(`../museum/${folder}/`, import.meta.url);
  const launchFile = isLaunch === true ? `${name}.launch.ts` : 'launch.ts';
  const ptx = isLaunch === true ? 'kernel.ptx' : `${name}.ptx`;
  const module: { default: unknown } = await import(new URL(launchFile, at).href);
  const launch = module.default;
  if (!isHarness(launch)) throw new TypeError(`${folder}/${launchFile} exports no harness`);
  const kernel = translate(launch, textOf(ptx, at), {
    name: ptx,
    // The toolkit's headers are not available here.
    source: (path) => (existsSync(new URL(path, at)) ? textOf(path, at) : undefined),
  });
  const options = {
    ranks: ranksToCheck(launch)[0],
    local: launch.local,
    ...(residentCtas === undefined ? {} : { residentCtas }),
  };
  return check(options, harnessProgram(harness(launch), kernel));
}

/** The page with another report. */
function withReport(page: string, report: string): string {
  return page.replace(/(?<=^## The report\n\n```text\n)[^]*?(?=^```)/m, () => `${report}\n`);
}

describe('a bug from a public thread', () => {
  // The quick tests have one.
  it.each(exhibits.filter((_, i) => (i === 1) !== inject('slow')))(
    '$folder: the broken kernel has a $kind, as on its page',
    async (exhibit) => {
      const report = await checked(exhibit, 'broken');
      const text = renderReport(report);
      expect(report.findings.map(({ kind }) => kind)).toContain(exhibit.kind);
      expect(text).toContain(exhibit.line);
      const path = `${exhibit.folder}.md`;
      const page = withReport(textOf(path, pages), text);
      expect(page).toContain(text);
      await expect(page).toMatchFileSnapshot(`../../../docs/museum/${path}`);
    },
  );

  it.each(exhibits.filter((_, i) => (i === 1) !== inject('slow')))(
    '$folder: the fixed kernel is clean',
    async (exhibit) => {
      expect(renderReport(await checked(exhibit, 'mended'))).toMatch(/^clean/);
    },
  );

  it.each(exhibits)('$folder: the diff on the page equals the diff of the files', ({ folder, isLaunch }) => {
    const at = new URL(`../museum/${folder}/`, import.meta.url);
    const file = isLaunch === true ? 'launch.ts' : 'cu';
    const [broken, mended] = [textOf(`broken.${file}`, at), textOf(`mended.${file}`, at)].map((text) =>
      text.split('\n'),
    );
    const [, diff = ''] = /^```diff\n([^]*?)^```/m.exec(textOf(`${folder}.md`, pages)) ?? [];
    const changed = diff.split('\n').filter((line) => /^[-+]/.test(line));
    expect(changed.length).toBeGreaterThan(0);
    for (const line of changed) expect(line.startsWith('-') ? broken : mended).toContain(line.slice(1));
  });

  it('has a line in the list of pages', () => {
    const list = textOf('README.md', pages);
    for (const { folder, kind } of exhibits) {
      expect(list).toMatch(
        new RegExp(`^\\| \\[.*\\]\\(${folder}\\.md\\) \\| \\[.*\\] *\\(.*\\) \\| ${kind} \\|$`, 'm'),
      );
    }
  });
});
