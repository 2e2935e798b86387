import { expect, test } from 'vitest';
import { calibrationOf, nativeLines } from '../src/native-output.ts';

const line = '{"name":"allreduce","ranks":2,"bytes":1024,"inPlace":false,"us":[1.5,2,1e-1],"vectorBits":512}';

test('lines of cases are found in the output of an MPI library', () => {
  expect(nativeLines(`a warning of the library\n${line}\n\n${line.replace(',"vectorBits":512', '')}\n`)).toEqual([
    { name: 'allreduce', ranks: 2, bytes: 1024, inPlace: false, us: [1.5, 2, 0.1], vectorBits: 512 },
    { name: 'allreduce', ranks: 2, bytes: 1024, inPlace: false, us: [1.5, 2, 0.1] },
  ]);
  expect(nativeLines('')).toEqual([]);
});

test.each([
  ['cut short', line.slice(0, -5)],
  ['without times', line.replace('1.5,2,1e-1', '')],
  ['with a time that is none', line.replace('1.5', '0')],
  ['with a name that is none', line.replace('"allreduce"', '7')],
])('a line %s is refused', (_what, text) => {
  expect(() => nativeLines(text)).toThrow(expect.objectContaining({ code: 'NCCL_INTERNAL_ERROR' }));
});

test('a calibration is parsed', () => {
  expect(calibrationOf('{"lost":[0.001,0.02],"signalNs":45.5}\n')).toEqual({ lost: [0.001, 0.02], signalNs: 45.5 });
  expect(() => calibrationOf('{"lost":[0.001],"signalNs":45.5}')).toThrow('a native program printed');
  expect(() => calibrationOf('')).toThrow('a native program printed');
});
