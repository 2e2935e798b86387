import { expectProgramSize } from '@nccl-ts/launch-json';

let read = async (): Promise<string> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of process.stdin) {
    if (!Buffer.isBuffer(part)) continue;
    bytes += part.length;
    expectProgramSize(bytes);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
};

/** Replaces standard input, for the whole process. */
export function readStandardInputBy(reads: () => Promise<string>): void {
  read = reads;
}

/**
 * All of standard input.
 *
 * @throws NcclError `NCCLTS_PROGRAM` if it is larger than a program may be.
 */
export async function standardInput(): Promise<string> {
  return read();
}
