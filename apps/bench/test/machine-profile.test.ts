import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { profileParameters } from '@nccl-ts/machine-profile';
import { expect, test } from 'vitest';
import { JsonValue } from '../src/figures/json-value.ts';
import { microOf } from '../src/machine-profile/micro-of.ts';

test('the launch of a graph is that of a kernel that sends a flag, without its trip and its load', () => {
  const file: unknown = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../profiles/h100-nvlink4.json'), 'utf8'),
  );
  const profile = new JsonValue(file, 'the profile');
  const micro = microOf(file, 'the profile');
  const parameters = profileParameters(micro);
  expect(parameters['launch.graph']?.value).toBe(447.5);
  expect(parameters['launch.graphEmpty']?.value).toBe(519.2);
  expect(profile.at('parameters').value).toEqual(parameters);
});
