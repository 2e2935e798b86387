import { statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { UsageError } from '../usage-error.ts';

/** A compiler from CUDA C++ to PTX. */
export interface CudaCompiler {
  readonly kind: 'nvcc' | 'clang';
  readonly path: string;
}

type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * Finds the compiler: the one that `NCCLTS_NVCC` names, or nvcc on the PATH, in CUDA_HOME,
 * CUDA_PATH or /usr/local/cuda, or clang++ on the PATH.
 *
 * @throws UsageError if there is none, with the locations that were searched.
 */
export function findCompiler(environment: EnvironmentVariables = process.env): CudaCompiler {
  const { NCCLTS_NVCC: named, CUDA_HOME, CUDA_PATH, PATH = '' } = environment;
  if (named !== undefined && named !== '') {
    if (isFile(named)) return { kind: /clang[^/\\]*$/.test(named) ? 'clang' : 'nvcc', path: named };
    throw new UsageError(`NCCLTS_NVCC is ${named}, but there is no such file`);
  }
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const onPath = PATH.split(delimiter).filter((folder) => folder !== '');
  const homes = [CUDA_HOME, CUDA_PATH, '/usr/local/cuda'].flatMap((home) =>
    home === undefined || home === '' ? [] : home,
  );
  const places = [...onPath, ...homes.map((home) => join(home, 'bin'))];
  const nvcc = places.map((folder) => join(folder, `nvcc${suffix}`)).find(isFile);
  if (nvcc !== undefined) return { kind: 'nvcc', path: nvcc };
  const clang = onPath.map((folder) => join(folder, `clang++${suffix}`)).find(isFile);
  if (clang !== undefined) return { kind: 'clang', path: clang };
  const looked = [
    'NCCLTS_NVCC (not set)',
    'nvcc and clang++ on the PATH',
    ...homes.map((home) => join(home, 'bin', 'nvcc')),
  ];
  throw new UsageError(
    `there is no compiler that makes PTX of CUDA C++; looked for ${looked.join(', ')}.\n` +
      'Install the CUDA toolkit (its compiler needs no GPU; pip install nvidia-cuda-nvcc brings one), name nvcc with NCCLTS_NVCC, or compile ' +
      'where there is one and check the result: nvcc -ptx -arch=sm_90 -lineinfo -o kernel.ptx kernel.cu',
  );
}

/** False also for a path below a file, because the PATH may name files. */
function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}
