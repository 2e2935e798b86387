/**
 * The program of a process that compiles with NVRTC, as CommonJS. It receives the paths of koffi,
 * of the library, and of the library that this loads. It reports the version, and then replies to
 * each program with its result.
 *
 * It is a string because a package may be bundled, which leaves no file to start. The messages are
 * `FromNvrtc` and `NvrtcProgram`.
 */
export const nvrtcProcessText: string = `
const [koffiPath, libraryPath, builtinsPath] = process.argv.slice(1);
process.on('disconnect', () => process.exit());
try {
  const koffi = require(koffiPath);
  // Who loads the builtins by their name from now on gets these: the loader may not find them beside the library.
  globalThis.builtins = koffi.load(builtinsPath);
  const library = koffi.load(libraryPath);
  const declare = (name, parameters, result = 'int') => library.func(name, result, parameters);
  const errorText = declare('nvrtcGetErrorString', ['int'], 'str');
  const create = declare('nvrtcCreateProgram', ['void *', 'str', 'str', 'int', 'str *', 'str *']);
  const compile = declare('nvrtcCompileProgram', ['uint64_t', 'int', 'str *']);
  const destroy = declare('nvrtcDestroyProgram', ['void *']);
  const part = (name) => [declare(name + 'Size', ['uint64_t', 'void *']), declare(name, ['uint64_t', 'void *'])];
  const parts = { log: part('nvrtcGetProgramLog'), cubin: part('nvrtcGetCUBIN'), ptx: part('nvrtcGetPTX') };
  const check = (result) => {
    if (result !== 0) throw new Error(errorText(result));
  };
  const bytesOf = (program, [sizeOf, get]) => {
    const size = new BigUint64Array(1);
    check(sizeOf(program, size));
    const bytes = new Uint8Array(Number(size[0]));
    if (bytes.length > 0) check(get(program, bytes));
    return bytes;
  };
  const textOf = (bytes) => Buffer.from(bytes).toString('utf8').replace(/\\0+$/, '');
  const answer = ({ text, name, headers, options, output }) => {
    const handle = new BigUint64Array(1);
    check(create(handle, text, name, Object.keys(headers).length, Object.values(headers), Object.keys(headers)));
    try {
      const result = compile(handle[0], options.length, options);
      if (result === 0) return { kind: 'compiled', bytes: bytesOf(handle[0], parts[output]) };
      return { kind: 'refused', result, messages: textOf(bytesOf(handle[0], parts.log)).trim() || errorText(result) };
    } finally {
      destroy(handle);
    }
  };
  process.on('message', (program) => {
    try {
      process.send(answer(program));
    } catch (error) {
      process.send({ kind: 'failed', problem: String(error.message) });
    }
  });
  const [major, minor] = [new Int32Array(1), new Int32Array(1)];
  check(declare('nvrtcVersion', ['void *', 'void *'])(major, minor));
  process.send({ kind: 'ready', version: major[0] * 1000 + minor[0] * 10 });
} catch (error) {
  process.send({ kind: 'failed', problem: String(error.message) }, () => process.exit());
}
`;
