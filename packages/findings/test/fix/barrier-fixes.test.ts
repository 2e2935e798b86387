import { expect, test } from 'vitest';
import {
  applyFix,
  buildReport,
  fixesOf,
  quotedLocation,
  provenFixes,
  type CheckReport,
  type Finding,
  type FindingLabel,
} from '@nccl-ts/findings';
import { lineAt, type Source } from '@nccl-ts/ir';

const file = 'k.js';
const text = `export const k = kernel(
  { name: 'k', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, coopCta, u32 }, { comm, win }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    const mine = lsa.localPointer(win, u32, 0);
    for (let round = 0; round < 2; round++) {
      mine.store(0, 1); // the first access
      const other = 3;
      mine.store(1, mine.load(0) + other);
    }
  },
);
`;

interface At {
  readonly agent?: FindingLabel['agent'];
  readonly rank?: number;
  readonly part?: string;
}

/** A label at the first occurrence of a part of the text. */
function label({ agent = 'thread', rank = 0, part = '' }: At, program = text): FindingLabel {
  const source: Source = { name: 'k', text: program, locate: (offset) => ({ file, ...lineAt(program, offset) }) };
  const start = program.indexOf(part);
  const place = quotedLocation({ name: 'k', sources: [source] }, { source: 0, start, end: start + part.length });
  if (agent === 'host') return { agent, does: 'host read', rank };
  return {
    agent,
    does: 'store',
    rank,
    blockIdx: { x: 0, y: 0, z: 0 },
    launch: rank,
    ...(place === undefined ? {} : { place }),
  };
}

function race(now: At, before: At, program = text): Finding {
  return {
    kind: 'race',
    severity: 'error',
    message: '',
    labels: [label(now, program), label(before, program)],
    missing: [{ kind: 'synchronisation', message: '' }],
    certainty: 'this schedule',
    schedule: { strategy: 'random', seed: 1 },
  };
}

const store = 'mine.store(0, 1)';
const load = 'mine.load(0)';

function changed(finding: Finding, program = text): readonly string[] {
  return fixesOf(finding, { file, text: program }).map((fix) => applyFix(program, fix));
}

test('a race between ranks gets a barrier of the session between its accesses, or after the loop', () => {
  const [first = '', second = '', third = ''] = changed(race({ rank: 1, part: load }, { part: store }));
  expect(first).toBe(text.replace('access\n', "access\n      bar.sync(coopCta(), 'acq_rel');\n"));
  expect(second).toBe(text.replace('other = 3;\n', "other = 3;\n      bar.sync(coopCta(), 'acq_rel');\n"));
  expect(third).toBe(text.replace('+ other);\n', "+ other);\n      bar.sync(coopCta(), 'acq_rel');\n"));
});

test('a race between threads of one CTA gets a barrier of the CTA', () => {
  const [first = ''] = changed(race({ part: load }, { part: store }));
  expect(first).toBe(text.replace('access\n', 'access\n      coopCta().sync();\n'));
});

test("a race with the host's read gets a barrier at the end of the kernel", () => {
  const all = changed(race({ agent: 'host', rank: 1 }, { part: store }));
  expect(all).toEqual([text.replace('    }\n  },', "    }\n    bar.sync(coopCta(), 'acq_rel');\n  },")]);
});

test('a barrier with a weak order is strengthened before another one is added', () => {
  const weak = text.replace('access\n', "access\n      bar.sync(coopCta(), 'relaxed');\n");
  const [first = ''] = changed(race({ rank: 1, part: load }, { part: store }, weak), weak);
  expect(first).toBe(weak.replace("'relaxed'", "'acq_rel'"));
});

test('a kernel without a session gets one, with the names that it needs', () => {
  const bare = text.replace(/ *const bar.*\n/, '').replace('coopCta, ', '');
  const [first = ''] = changed(race({ rank: 1, part: load }, { part: store }, bare), bare);
  expect(first).toContain('({ lsa, u32, coopCta }, { comm, win })');
  expect(first).toContain(
    "access\n      const bar = lsa.barrierSession(coopCta(), comm, 0);\n      bar.sync(coopCta(), 'acq_rel');\n",
  );
});

test('an access of another file, or of no kernel of the text, has no barrier as a fix', () => {
  const finding = race({ rank: 1, part: load }, { part: store });
  expect(fixesOf(finding, { file: 'other.js', text })).toEqual([]);
  expect(fixesOf(finding, { file, text: text.replace('kernel(', 'other(') })).toEqual([]);
});

test('only a change after which the check is clean is a proven fix', async () => {
  const finding = race({ rank: 1, part: load }, { part: store });
  const tried: string[] = [];
  const prove = async (isFixed: (changed: string) => boolean): Promise<readonly (readonly { title: string }[])[]> =>
    provenFixes([finding, finding], {
      file,
      text,
      check: async (given) => {
        tried.push(given);
        if (given.includes('access\n      bar')) throw new Error('the program does not run');
        return reportOf(isFixed(given), finding);
      },
    });
  const fixes = await prove((given) => given.includes('+ other);\n      bar.sync'));
  expect(fixes.map((chain) => chain.map(({ title }) => title))).toEqual([
    ["add bar.sync(coopCta(), 'acq_rel')"],
    ["add bar.sync(coopCta(), 'acq_rel')"],
  ]);
  // The second finding has the same cause, so nothing is checked again.
  expect(tried).toHaveLength(3);
  expect(await prove(() => false)).toEqual([[], []]);
});

function reportOf(isClean: boolean, finding: Finding): CheckReport {
  const runs = [{ findings: isClean ? [] : [finding], accesses: 1 }];
  return buildReport({ runs, proves: { kind: 'all schedules', count: 1 } });
}
