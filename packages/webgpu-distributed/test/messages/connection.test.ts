import { expect, test } from 'vitest';
import { rankEnd, worldEnd } from '../../src/messages/connection.ts';

test('a message after the other end has closed is dropped, without an error', async () => {
  const rank = rankEnd('connection.test');
  const world = worldEnd('connection.test');
  const received: string[] = [];
  const arrived = new Promise<void>((resolve) => {
    rank.onMessage = ({ kind }) => {
      received.push(kind);
      resolve();
    };
  });

  world.send({ kind: 'open' });
  world.close();
  world.send({ kind: 'open' });

  await arrived;
  expect(received).toEqual(['open']);
  rank.close();
});
