import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { integerResult, type Koffi, type NativeFunction } from '../ffi/koffi.ts';

interface LibC {
  readonly dup: NativeFunction;
  readonly dup2: NativeFunction;
  readonly close: NativeFunction;
  readonly fflush: NativeFunction;
}

let libc: LibC | undefined;

/**
 * What kernels print comes out of the driver, on the standard output of the process, when it is flushed. This calls
 * `flush` with that output turned to a file, and gives the lines. Other threads' output of that moment comes along.
 */
export function capturePrinted(koffi: Koffi, flush: () => void): readonly string[] {
  const { dup, dup2, close, fflush } = libcOf(koffi);
  const directory = mkdtempSync(join(tmpdir(), 'nccl-ts-'));
  const path = join(directory, 'printed');
  const file = openSync(path, 'w');
  try {
    // What the driver put into libc's buffer before this, on its own account, belongs to the kernels too: no flush here.
    const standard = integerResult(dup(1));
    dup2(file, 1);
    try {
      flush();
      fflush(0);
    } finally {
      dup2(standard, 1);
      close(standard);
    }
    const text = readFileSync(path, 'utf8');
    return text === '' ? [] : text.replace(/\n$/, '').split('\n');
  } finally {
    closeSync(file);
    rmSync(directory, { recursive: true, force: true });
  }
}

function libcOf(koffi: Koffi): LibC {
  if (libc === undefined) {
    const library = koffi.load('libc.so.6');
    libc = {
      dup: library.func('dup', 'int', ['int']),
      dup2: library.func('dup2', 'int', ['int', 'int']),
      close: library.func('close', 'int', ['int']),
      fflush: library.func('fflush', 'int', ['uint64_t']),
    };
  }
  return libc;
}
