import { afterEach, expect, test, vi } from 'vitest';
import { fixtures } from './support/command.ts';
import { FreshFolder } from './support/fresh-folder.ts';
import { runCommandLine } from '../src/command-line.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test.for<readonly [string, string, RegExp]>([
  ['no command', '', /Usage: nccl-ts/],
  ['an unknown command', 'frobnicate', /unknown command 'frobnicate'/],
  ['an unknown option', 'run sums.ts --frob', /unknown option '--frob'\n\(nccl-ts run --help lists the options\)/],
  ['no file', 'run', /missing required argument 'file'/],
  ['a word too many', 'run sums.ts sums host.ts', /too many arguments/],
  ['two kernels', `run ${fixtures}/sums.ts sums -k other`, /--kernel other: the kernel is already given as sums/],
  ['a missing file', 'run nowhere.ts', /no such file: nowhere\.ts/],
  ['a missing CUDA file', 'ptx nowhere.cu', /no such file: nowhere\.cu/],
  ['a folder', 'emit .', /no such file: \./],
  ['a value twice', 'run sums.ts -a count=1 -a count=2', /count already has a value/],
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
  ['an unknown backend', 'run sums.ts --backend metal', /Allowed choices are sim, webgpu, cuda/],
  ['more fuel than fits', 'run sums.ts --backend webgpu --fuel 4294967296', /--fuel 4294967296: it must be at most/],
  ["the simulator's seed elsewhere", 'run sums.ts --backend webgpu --seed 2', /--seed is for the simulator/],
  [
    "the simulator's CTAs elsewhere",
    'run sums.ts --backend webgpu --resident-ctas 2',
    /--resident-ctas is for the simu/,
  ],
  ['fuel where there is none', 'run sums.ts --backend cuda --fuel 2', /--fuel is for sim and webgpu/],
  [
    'domains that GPUs have by themselves',
    'run sums.ts --backend cuda --lsa-size 2',
    /--lsa-size is for sim and webgpu/,
  ],
  ['an unknown requirement', 'run sums.ts --require signals=1', /has no field "signals"; its fields are apiVersion/],
  ['a requirement of another type', 'check sums.ts --require ginSignalCount=few', /ginSignalCount/],
  ['an unknown type', 'check sums.ts --type win=float', /There is no type float; there are bool, i8/],
  ['a start without a value', 'run sums.ts --fill win', /of the form name=value/],
  [
    'a start for no window',
    `check ${fixtures}/sums.ts sums -a count=1 --fill flags=0`,
    /--fill flags: kernel 'sums' takes no window of that name; it takes win/,
  ],
  [
    'a start that is no value',
    `run ${fixtures}/sums.ts -a count=1 --fill win=-1 --type win=u32`,
    /--fill win: it must be an integer from 0 to 4294967295 \(u32\); given "-1"; or write ramp, iota, random/,
  ],
  [
    'requirements of nobody',
    `run ${fixtures}/mistakes.ts strays -a at=1 --require barrierCount=1`,
    /--require barrierCount: kernel 'strays' has no device communicator among its parameters/,
  ],
  ['a kernel as it was once named', 'ptx all-reduce.ptx --entry x', /Write --kernel, or only the name after the file/],
  ['a version of NCCL before devices', 'emit sums.ts --nccl 2.27.0', /2\.28\.3 or later: 2\.30\.7 or 23007/],
  ['a report in no folder', `check ${fixtures}/sums.ts --sarif nowhere/x.sarif`, /--sarif nowhere\/x\.sarif: ENOENT/],
  ['a trace elsewhere', 'run sums.ts --backend webgpu --trace out.json', /--trace is for the simulator/],
  ['a trace of an unknown kind', 'run sums.ts -a count=1 --trace out.txt', /must end in \.json .* or \.svg/],
])('%s is reported on stderr, with exit code 2', async ([, line, message]) => expectReport(line, message));

test.each(['module', 'commonjs'])('a package that is not installed is reported by its name (%s)', async (type) => {
  const folder = new FreshFolder('missing-package');
  try {
    folder.write('package.json', JSON.stringify({ type }));
    folder.write('kernel.ts', "import { harness } from '@somebody/absent/part';\nexport default harness({});\n");
    await expectReport(
      `check ${folder.path}/kernel.ts`,
      /it imports @somebody\/absent, .* run npm install @somebody\/absent/,
    );
  } finally {
    folder.remove();
  }
});

test.each([true, false])(
  'findings name the command that explains them on a terminal (%s), and only there',
  async (isTTY) => {
    const was = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY');
    Object.defineProperty(process.stdout, 'isTTY', { configurable: true, value: isTTY });
    try {
      const { out } = await written(`check ${fixtures}/waits.ts`);
      expect(out).toContain('error[deadlock]');
      expect(out.includes('for details, run nccl-ts explain deadlock')).toBe(isTTY);
    } finally {
      if (was === undefined) Reflect.deleteProperty(process.stdout, 'isTTY');
      else Object.defineProperty(process.stdout, 'isTTY', was);
    }
  },
);

async function expectReport(line: string, message: RegExp): Promise<void> {
  const { code, out, err } = await written(line);
  expect(err).toMatch(message);
  expect({ code, out }).toEqual({ code: 2, out: '' });
}

/** Runs a command in this process, and returns its texts. */
async function written(line: string): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const texts = { out: '', err: '' };
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((texts.out += String(text))));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((texts.err += String(text))));
  const code = await runCommandLine(['node', 'nccl-ts', ...line.split(' ').filter(Boolean)]);
  vi.restoreAllMocks();
  return { code, ...texts };
}
