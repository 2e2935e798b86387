import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isNcclError } from '@nccl-ts/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { thisHost, type DiscoveryHost } from '../../src/discovery/discovery-host.ts';
import { findNccl } from '../../src/discovery/find-nccl.ts';
import { findNvrtc } from '../../src/discovery/find-nvrtc.ts';
import { findToolkit, toolkitIncludes } from '../../src/discovery/find-toolkit.ts';
import { checkDriver } from '../../src/runtime/platform.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nccl-ts-discovery-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text = ''): string {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  return full;
}

function host(env: Record<string, string> = {}): DiscoveryHost {
  return { env, root, home: join(root, 'home/someone') };
}

function header(version: string): string {
  const [major, minor, patch] = version.split('.');
  return `#define NCCL_MAJOR ${major}\n#define NCCL_MINOR ${minor}\n#define NCCL_PATCH ${patch}\n`;
}

/**
 * An NCCL installation in `directory`. `library` is the name of the file to which libnccl.so.2
 * links.
 */
function nccl(
  directory: string,
  version: string,
  options: { library?: string; lib?: string; device?: boolean } = {},
): void {
  const { library = 'libnccl.so.2', lib = 'lib', device = true } = options;
  write(`${directory}/include/nccl.h`, header(version));
  if (device) write(`${directory}/include/nccl_device/core.h`);
  write(`${directory}/${lib}/${library}`);
  if (library !== 'libnccl.so.2') symlinkSync(library, join(root, directory, lib, 'libnccl.so.2'));
}

/** An NVRTC in a directory, with a version such as 13.0. */
function nvrtc(directory: string, version: string): void {
  write(`${directory}/libnvrtc.so.${version.split('.', 1).join('')}`);
  write(`${directory}/libnvrtc-builtins.so.${version}`);
}

function failure(find: () => unknown): { code: string; message: string } {
  try {
    find();
  } catch (error) {
    if (isNcclError(error)) return { code: error.code, message: error.message.replaceAll(root, '<root>') };
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('the toolkit', () => {
  function toolkit(directory: string, version = 13000): string {
    write(`${directory}/bin/nvcc`);
    write(`${directory}/include/cuda.h`, `/* a comment */\n#define CUDA_VERSION ${version}\n`);
    return join(root, directory);
  }

  it("is the configured one, then CUDA_HOME's, CUDA_PATH's, the usual location's, and finally PATH's", () => {
    const [named, home, path, usual, onPath] = ['a', 'b', 'c', 'usr/local/cuda', 'e'].map((name) => toolkit(name));
    const env = { PATH: `${root}/nowhere:${onPath}/bin` };
    expect(findToolkit(host({ CUDA_HOME: home ?? '', CUDA_PATH: path ?? '' }), named).home).toBe(named);
    expect(findToolkit(host({ CUDA_HOME: home ?? '', CUDA_PATH: path ?? '' })).home).toBe(home);
    expect(findToolkit(host({ CUDA_PATH: path ?? '' }))).toEqual({
      home: path,
      nvcc: `${path}/bin/nvcc`,
      version: 13000,
      from: 'CUDA_PATH',
    });
    expect(findToolkit(host(env)).home).toBe(usual);
    rmSync(join(root, 'usr'), { recursive: true });
    expect(findToolkit(host(env)).home).toBe(onPath);
  });

  it("is only the environment's, if the environment names one", () => {
    toolkit('usr/local/cuda');
    expect(failure(() => findToolkit(host({ CUDA_HOME: join(root, 'gone') })))).toMatchInlineSnapshot(`
      {
        "code": "NCCLTS_CUDA_NO_TOOLKIT",
        "message": "No CUDA toolkit was found; kernels are compiled when they first run, so one is needed.
        <root>/gone (CUDA_HOME): does not exist
      Install the CUDA toolkit (12.0 or later), or set CUDA_HOME to the directory that has include/cuda.h and bin/nvcc or lib64/libnvrtc.so.",
      }
    `);
  });

  it('must be complete and new enough', () => {
    toolkit('usr/local/cuda', 11080);
    write('half/bin/nvcc');
    expect(failure(() => findToolkit(host({ PATH: join(root, 'half/bin') })))).toMatchInlineSnapshot(`
      {
        "code": "NCCLTS_CUDA_NO_TOOLKIT",
        "message": "No CUDA toolkit was found; kernels are compiled when they first run, so one is needed.
        <root>/usr/local/cuda (usual place): is CUDA 11.8, older than 12.0
        <root>/half (PATH): has no include/cuda.h that states CUDA_VERSION
      Install the CUDA toolkit (12.0 or later), or set CUDA_HOME to the directory that has include/cuda.h and bin/nvcc or lib64/libnvrtc.so.",
      }
    `);
  });

  it('may have only NVRTC, but one with nvcc is preferred', () => {
    nvrtc('usr/local/cuda/lib64', '13.0');
    write('usr/local/cuda/include/cuda.h', '#define CUDA_VERSION 13000\n');
    expect(findToolkit(host())).toEqual({
      home: join(root, 'usr/local/cuda'),
      nvcc: undefined,
      version: 13000,
      from: 'usual place',
    });
    expect(findToolkit(host({ PATH: `${toolkit('e')}/bin` })).home).toBe(join(root, 'e'));
    rmSync(join(root, 'usr/local/cuda/lib64'), { recursive: true });
    expect(failure(() => findToolkit(host())).message).toContain(
      '<root>/usr/local/cuda (usual place): is CUDA 13.0, but has neither bin/nvcc nor libnvrtc',
    );
  });

  it.each([
    ['cu13/include/cuda.h', 13000, 'cu13/lib', '13.0', 'cu13'],
    ['cuda_runtime/include/cuda.h', 12080, 'cuda_nvrtc/lib', '12.8', 'cuda_runtime'],
  ])('may be in Python packages: %s', (header, version, directory, name, home) => {
    const packages = 'venv/lib/python3.12/site-packages/nvidia';
    nvrtc(`${packages}/${directory}`, name);
    write(`${packages}/${header}`, `#define CUDA_VERSION ${version}\n`);
    const includes = write(`${packages}/cuda_cccl/include/cuda/atomic`);
    const found = findToolkit(host({ VIRTUAL_ENV: join(root, 'venv') }));
    expect(found).toMatchObject({ home: join(root, packages, home), nvcc: undefined, version });
    expect(toolkitIncludes(found)).toEqual([join(found.home, 'include'), dirname(dirname(includes))]);
  });

  it('may be newer than the driver only within a major version', () => {
    expect(() => checkDriver(13000, 13010, '/cuda')).not.toThrow();
    expect(failure(() => checkDriver(12080, 13000, '/cuda'))).toMatchInlineSnapshot(`
      {
        "code": "NCCLTS_CUDA_DRIVER_TOO_OLD",
        "message": "The NVIDIA driver supports CUDA 12.8, but the toolkit in /cuda is CUDA 13.0: its output does not run there. Install a newer driver, or name an older toolkit with CUDA_HOME.",
      }
    `);
  });
});

describe('NVRTC', () => {
  const packages = 'venv/lib/python3.12/site-packages/nvidia';
  const env = (): Record<string, string> => ({ VIRTUAL_ENV: join(root, 'venv') });

  function search(version: number): unknown {
    const found = findNvrtc(host(env()), join(root, 'cuda'), version);
    return JSON.parse(JSON.stringify(found).replaceAll(root, '<root>'));
  }

  it.each(['lib64', 'lib', 'targets/x86_64-linux/lib'])("is the toolkit's in %s", (directory) => {
    nvrtc(`cuda/${directory}`, '13.0');
    nvrtc(`${packages}/cu13/lib`, '13.0');
    // A build for other uses is next to it.
    write(`cuda/${directory}/libnvrtc.alt.so.13`);
    expect(search(13000)).toEqual({
      found: {
        library: `<root>/cuda/${directory}/libnvrtc.so.13`,
        builtins: `<root>/cuda/${directory}/libnvrtc-builtins.so.13.0`,
        from: 'the toolkit',
      },
    });
  });

  it.each([
    ['cu13/lib', 13000, '13.0'],
    ['cuda_nvrtc/lib', 12060, '12.6'],
  ])('otherwise comes from a Python package: %s', (directory, version, name) => {
    nvrtc(`${packages}/${directory}`, name);
    expect(search(version)).toMatchObject({ found: { from: 'Python package, VIRTUAL_ENV' } });
  });

  it('has the toolkit’s version', () => {
    nvrtc('cuda/lib64', '12.8');
    nvrtc(`${packages}/cu13/lib`, '13.1');
    write(`${packages}/cuda_nvrtc/lib/libnvrtc.so.13`);
    expect(search(13000)).toMatchInlineSnapshot(`
      {
        "attempts": [
          {
            "from": "the toolkit",
            "path": "<root>/cuda/lib64",
            "problem": "has libnvrtc.so.12, not libnvrtc.so.13",
          },
          {
            "from": "Python package, VIRTUAL_ENV",
            "path": "<root>/venv/lib/python3.12/site-packages/nvidia/cu13/lib",
            "problem": "has libnvrtc.so.13, but libnvrtc-builtins.so.13.1, not libnvrtc-builtins.so.13.0",
          },
          {
            "from": "Python package, VIRTUAL_ENV",
            "path": "<root>/venv/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib",
            "problem": "has libnvrtc.so.13, but no libnvrtc-builtins.so.13.0",
          },
        ],
      }
    `);
  });

  it('may be missing', () => {
    expect(search(13000)).toEqual({
      attempts: [{ path: '<root>/cuda', from: 'the toolkit', problem: 'has no libnvrtc.so.13' }],
    });
  });
});

describe('NCCL', () => {
  const wheel = 'usr/lib/python3.12/site-packages/nvidia/nccl';

  it("is the configured one, then NCCL_HOME's, then a Python package's, then a system package's", () => {
    nccl('a', '2.28.9');
    nccl('b', '2.28.9');
    nccl('venv/lib/python3.11/site-packages/nvidia/nccl', '2.29.7');
    nccl(wheel, '2.30.3');
    nccl('usr', '2.28.3', { lib: 'lib/x86_64-linux-gnu', library: 'libnccl.so.2.28.3' });
    const home = { NCCL_HOME: join(root, 'b'), VIRTUAL_ENV: join(root, 'venv') };
    expect(findNccl(host(home), join(root, 'a'))).toMatchObject({ home: join(root, 'a'), from: 'option nccl' });
    expect(findNccl(host(home))).toMatchObject({ home: join(root, 'b'), version: 22809 });
    expect(findNccl(host({ VIRTUAL_ENV: join(root, 'venv') }))).toMatchObject({ version: 22907 });
    expect(findNccl(host())).toMatchObject({ version: 23003, home: join(root, wheel) });
    rmSync(join(root, wheel), { recursive: true });
    expect(findNccl(host())).toEqual({
      home: join(root, 'usr'),
      include: join(root, 'usr/include'),
      library: join(root, 'usr/lib/x86_64-linux-gnu/libnccl.so.2'),
      version: 22803,
      from: 'usual place',
    });
  });

  it('never combines two folders', () => {
    write(`${wheel}/lib/libnccl.so.2`);
    write('usr/include/nccl.h', header('2.28.3'));
    write('usr/include/nccl_device/core.h');
    expect(failure(() => findNccl(host()))).toMatchInlineSnapshot(`
      {
        "code": "NCCLTS_NCCL_NOT_FOUND",
        "message": "No folder with both headers and library of NCCL was found.
        <root>/usr/lib/python3.12/site-packages/nvidia/nccl (Python package, usual place): has no include/nccl.h, but <root>/usr/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2
        <root>/usr/local (usual place): does not exist
        <root>/usr (usual place): has the headers of 2.28.3, but no lib/libnccl.so.2
      Install NCCL 2.28.3 or later with its headers, such as the Python package nvidia-nccl-cu13 or the system packages libnccl2 and libnccl-dev of one version, or set NCCL_HOME to the directory that has include/nccl.h and lib/libnccl.so.2.",
      }
    `);
  });

  it('has headers of the library’s version', () => {
    nccl('usr', '2.28.3', { library: 'libnccl.so.2.28.9' });
    expect(failure(() => findNccl(host()))).toMatchInlineSnapshot(`
      {
        "code": "NCCLTS_NCCL_MISMATCH",
        "message": "The headers and the library of NCCL have different versions.
        <root>/usr/local (usual place): does not exist
        <root>/usr (usual place): has the headers of 2.28.3, but <root>/usr/lib/libnccl.so.2.28.9
      Install NCCL 2.28.3 or later with its headers, such as the Python package nvidia-nccl-cu13 or the system packages libnccl2 and libnccl-dev of one version, or set NCCL_HOME to the directory that has include/nccl.h and lib/libnccl.so.2.",
      }
    `);
  });

  it('has a device API', () => {
    nccl('usr', '2.27.5', { device: false });
    expect(failure(() => findNccl(host()))).toMatchInlineSnapshot(`
      {
        "code": "NCCLTS_NCCL_TOO_OLD",
        "message": "NCCL is too old: kernels need the device API, which NCCL has since 2.28.3.
        <root>/usr/local (usual place): does not exist
        <root>/usr (usual place): is NCCL 2.27.5
      Install NCCL 2.28.3 or later with its headers, such as the Python package nvidia-nccl-cu13 or the system packages libnccl2 and libnccl-dev of one version, or set NCCL_HOME to the directory that has include/nccl.h and lib/libnccl.so.2.",
      }
    `);
    nccl('other', '2.28.9', { device: false });
    expect(failure(() => findNccl(host(), join(root, 'other')))).toMatchInlineSnapshot(`
      {
        "code": "NCCLTS_NCCL_NOT_FOUND",
        "message": "No folder with both headers and library of NCCL was found.
        <root>/other (option nccl): has include/nccl.h of 2.28.9, but no include/nccl_device/
      Install NCCL 2.28.3 or later with its headers, such as the Python package nvidia-nccl-cu13 or the system packages libnccl2 and libnccl-dev of one version, or set NCCL_HOME to the directory that has include/nccl.h and lib/libnccl.so.2.",
      }
    `);
  });

  it("is only the environment's, if the environment names one", () => {
    nccl('usr', '2.28.9');
    expect(failure(() => findNccl(host({ NCCL_HOME: join(root, 'gone') }))).code).toBe('NCCLTS_NCCL_NOT_FOUND');
  });
});

it('a program without permission to read the machine gets a hint', () => {
  const env = vi.spyOn(process, 'env', 'get').mockImplementation(() => {
    throw new Error('Requires env access to "NCCLTS_CACHE_DIR"');
  });
  try {
    expect(() => thisHost()).toThrow(
      expect.objectContaining({ code: 'NCCLTS_NOT_SUPPORTED', message: expect.stringMatching(/--allow-all/) }),
    );
  } finally {
    env.mockRestore();
  }
});
