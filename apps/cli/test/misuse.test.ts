import { afterEach, expect, test, vi } from 'vitest';
import { fixtures } from './support/command.ts';
import { runCommandLine } from '../src/command-line.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test.for<readonly [string, string, RegExp]>([
  ['no command', '', /Usage: nccl-ts/],
  ['an unknown command', 'frobnicate', /unknown command 'frobnicate'/],
  ['an unknown option', 'run sums.ts --frob', /unknown option '--frob'\n\(nccl-ts run --help shows what there is\)/],
  ['no file', 'run', /missing required argument 'file'/],
  ['a file too many', 'run sums.ts host.ts', /too many arguments/],
  ['a missing file', 'run nowhere.ts', /there is no file nowhere\.ts/],
  ['a folder', 'emit .', /there is no file \./],
  ['a value twice', 'run sums.ts -a count=1 -a count=2', /gives count a second value/],
  ['an argument without a value', 'run sums.ts -a count', /of the form name=value/],
  ['no ranks', 'run sums.ts -n 0', /It must be an integer from 1 to 4096/],
  ['half a rank', 'run sums.ts -n 1.5', /It must be an integer from 1 to 4096/],
  [
    'load-store domains that do not fit',
    `run ${fixtures}/sums.ts -a count=1 --lsa-size 3`,
    /must divide the number of ranks, 4/,
  ],
  ['a block too large', 'run sums.ts -b 1025', /It must be an integer from 1 to 1024/],
  ['an odd size', 'run sums.ts --bytes 1X', /It must be a size/],
  ['an unknown target', 'emit sums.ts -t metal', /Allowed choices are ir, js, wgsl, cuda/],
  ['an unknown backend', 'run sums.ts --backend metal', /Allowed choices are sim, webgpu/],
  ['more fuel than fits', 'run sums.ts --backend webgpu --fuel 4294967296', /--fuel 4294967296: it must be at most/],
  ["the simulator's seed elsewhere", 'run sums.ts --backend webgpu --seed 2', /--seed is for the simulator/],
  [
    "the simulator's CTAs elsewhere",
    'run sums.ts --backend webgpu --resident-ctas 2',
    /--resident-ctas is for the simu/,
  ],
  ['a trace elsewhere', 'run sums.ts --backend webgpu --trace out.json', /--trace is for the simulator/],
  ['a trace of an unknown kind', 'run sums.ts -a count=1 --trace out.txt', /must end in \.json .* or \.svg/],
])('%s is told on stderr, with exit code 2', async ([, line, message]) => {
  const written = { out: '', err: '' };
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((written.out += String(text))));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((written.err += String(text))));
  const code = await runCommandLine(['node', 'nccl-ts', ...line.split(' ').filter(Boolean)]);
  vi.restoreAllMocks();
  expect(written.err).toMatch(message);
  expect(written.out).toBe('');
  expect(code).toBe(2);
});
