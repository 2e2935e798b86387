import { expect, test } from 'vitest';
import { placeEnd, worldEnd } from '../../src/places/wire.ts';

test('a message after the other end has closed is dropped, without an error', async () => {
  const place = placeEnd('wire.test');
  const world = worldEnd('wire.test');
  const heard: string[] = [];
  const arrived = new Promise<void>((resolve) => {
    place.onMessage = ({ kind }) => {
      heard.push(kind);
      resolve();
    };
  });

  world.send({ kind: 'come' });
  world.close();
  world.send({ kind: 'come' });

  await arrived;
  expect(heard).toEqual(['come']);
  place.close();
});
