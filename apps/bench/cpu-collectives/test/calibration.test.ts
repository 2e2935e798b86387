import { expect, test } from 'vitest';
import { gate, isQuiet, placementOf, type Calibration } from '../src/calibration.ts';

const near: Calibration = { lost: [0, 0.0179], signalNs: 45 };
const far: Calibration = { lost: [0, 0], signalNs: 180 };
const busy: Calibration = { lost: [0.018, 0], signalNs: 45 };

/** Gives these calibrations, the last one repeatedly, and records which were requested. */
function scripted(...script: readonly Calibration[]) {
  let asked = 0;
  return {
    calibrate: async () => script[Math.min(asked++, script.length - 1)] ?? busy,
    asked: () => asked,
  };
}

test('a machine is quiet below 1.8 % lost time on every core, and cores are near below 140 ns a signal', () => {
  expect([near, far, busy].map(isQuiet)).toEqual([true, true, false]);
  expect([near, far].map(placementOf)).toEqual(['near', 'far']);
  expect([139.9, 140].map((signalNs) => placementOf({ lost: [], signalNs }))).toEqual(['near', 'far']);
});

test('the calibration after a unit serves as the one before the next', async () => {
  const script = scripted(near);
  const quiet = gate(script.calibrate);
  expect(await quiet.run(async () => 1)).toEqual({ result: 1, placement: 'near' });
  expect(await quiet.run(async () => 2)).toEqual({ result: 2, placement: 'near' });
  expect(script.asked()).toBe(3);
  expect(quiet.counts()).toEqual({ accepted: 2, rejected: 0, lost: 0, busy: 0 });
});

test('a unit waits for a quiet machine', async () => {
  const script = scripted(busy, busy, near);
  let pauses = 0;
  const quiet = gate(script.calibrate, { pause: async () => void pauses++ });
  let ran = 0;
  expect(
    await quiet.run(async () => {
      ran++;
      return script.asked();
    }),
  ).toEqual({ result: 3, placement: 'near' });
  expect([ran, pauses]).toEqual([1, 2]);
  expect(quiet.counts()).toMatchObject({ accepted: 1, rejected: 0, busy: 2 });
});

test('a unit that ends on a busy machine, or on other cores, is repeated', async () => {
  const quiet = gate(scripted(near, busy, near, far, far).calibrate);
  let ran = 0;
  expect(await quiet.run(async () => ++ran)).toEqual({ result: 3, placement: 'far' });
  expect(quiet.counts()).toEqual({ accepted: 1, rejected: 2, lost: 0, busy: 1 });
});

test('a unit is given up after three attempts', async () => {
  const quiet = gate(scripted(near, busy, near, busy, near, busy, near).calibrate);
  let ran = 0;
  expect(await quiet.run(async () => ++ran)).toBeUndefined();
  expect(ran).toBe(3);
  expect(quiet.counts()).toEqual({ accepted: 0, rejected: 3, lost: 1, busy: 3 });
});

test('a unit does not begin if the machine is never quiet', async () => {
  const script = scripted(busy);
  const quiet = gate(script.calibrate);
  let ran = 0;
  expect(await quiet.run(async () => ++ran)).toBeUndefined();
  expect([ran, script.asked()]).toEqual([0, 20]);
  expect(quiet.counts()).toMatchObject({ accepted: 0, rejected: 0, lost: 1 });
});
