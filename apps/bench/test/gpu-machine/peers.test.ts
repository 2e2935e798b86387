import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { PeerContenders, type PeerRequest } from '../../src/gpu/peer-contenders.ts';
import { peersOf } from '../../src/gpu/peer-option.ts';
import { takeTurns, type Turns } from '../../src/gpu/take-turns.ts';
import { UsageError } from '../../src/nccl-tests/usage-error.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Stands in for a program that measures on GPUs: what it does depends on the contender's name. */
const standIn = `
import { createInterface } from 'node:readline';
let requests = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { contender, bytes, check } = JSON.parse(line);
  requests++;
  if (contender === 'dies') process.exit(3);
  if (contender === 'hangs') continue;
  console.log('a line that is no answer');
  if (contender === 'refuses') console.log('@{"error":"it has no room"}');
  else if (contender === 'babbles') console.log('@what');
  else console.log('@' + JSON.stringify({
    us: bytes + requests,
    ...(check ? { wrong: Number(process.argv[process.argv.indexOf('--gpus') + 1]) } : {}),
  }));
}`;

let folder = '';
let script = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nccl-ts-peers-'));
  script = join(folder, 'peer.mjs');
  writeFileSync(script, standIn);
});
afterAll(() => rmSync(folder, { recursive: true }));

const request = (contender: string, check: boolean): PeerRequest => ({
  contender,
  program: 'all_reduce',
  type: 'bfloat16',
  bytes: 1024,
  check,
  room: 4096,
  calls: 20,
  milliseconds: 30,
  launches: 400,
});

/** Three rounds, checked in the first one, on 4 GPUs. */
async function rounds(peers: PeerContenders): Promise<Turns> {
  try {
    return await takeTurns(peers.names, 3, async (name, round) => peers.request(request(name, round === 0)));
  } finally {
    peers.end();
  }
}

const contenders = (names: string, seconds?: number): PeerContenders =>
  new PeerContenders(['--peer', `${names}=${process.execPath} ${script}`], 4, seconds);

describe('--peer', () => {
  it('names contenders and the command of their process, and may come several times', () => {
    const args = ['--gpus', '2', '--peer', 'lamport,vllm=./peers --fast=1', '--rounds', '7', '--peer', 'other=./other'];
    expect(peersOf(args)).toEqual([
      { name: 'lamport', command: './peers --fast=1' },
      { name: 'vllm', command: './peers --fast=1' },
      { name: 'other', command: './other' },
    ]);
    expect(peersOf(['--gpus', '2'])).toEqual([]);
  });

  it.each(['push', 'push=', 'push= ', '=./peers', 'push,=./peers', 'push,push=./peers'])('refuses %o', (text) => {
    expect(() => peersOf(['--peer', text])).toThrow(UsageError);
  });

  it('refuses to be the last word', () => {
    expect(() => peersOf(['--peer'])).toThrow('--peer undefined: it must be --peer NAME[,NAME...]=COMMAND');
  });
});

describe('peers', () => {
  it('of one command share a process, which gets the number of GPUs, and take turns', async () => {
    // The stand-in counts its requests: a b, b a, a b.
    expect(await rounds(contenders('a,b'))).toEqual({
      times: { a: [1025, 1028, 1029], b: [1026, 1027, 1030] },
      errors: {},
      wrong: { a: 4, b: 4 },
    });
  });

  it('that refuse a size or answer nonsense have an error, and the others go on', async () => {
    const { times, errors } = await rounds(contenders('refuses,a,babbles'));
    expect(errors).toEqual({ refuses: 'it has no room', babbles: 'the answer is no JSON object: what' });
    expect(times).toEqual({ a: [1026, 1028, 1029] });
  });

  it.for(slow)('whose process dies have an error at every size, and other processes go on', async () => {
    const command = `${process.execPath} ${script}`;
    const peers = new PeerContenders(['--peer', `dies,b=${command}`, '--peer', `a=${command} again`], 2);
    const ended = `${process.execPath} ended with code 3`;
    const turns = { times: { a: [1025, 1026, 1027] }, errors: { dies: ended, b: ended }, wrong: { a: 2 } };
    expect(await takeTurns(peers.names, 3, async (name, round) => peers.request(request(name, round === 0)))).toEqual(
      turns,
    );
    expect((await rounds(peers)).errors).toEqual(turns.errors);
  });

  it('that give no answer in time are ended', async () => {
    expect((await rounds(contenders('hangs', 0.05))).errors).toEqual({ hangs: 'no answer within 0.05 s' });
  });

  it('whose program does not exist have an error', async () => {
    const { errors } = await rounds(new PeerContenders(['--peer', 'a=/no/such/program'], 2));
    expect(errors).toEqual({ a: expect.stringContaining('ENOENT') });
  });
});
