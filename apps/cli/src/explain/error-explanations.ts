import type { ErrorCode } from '@nccl-ts/core';
import type { Explanation } from './explanation.ts';

/**
 * Codes of the errors that host calls throw. Their titles are the sentences of `errorCodes` of
 * @nccl
 * @nccl-ts/core, which `title` is.
 */
export const errorExplanations: Readonly<Record<ErrorCode, Omit<Explanation, 'title'>>> = {
  NCCL_UNHANDLED_CUDA_ERROR: {
    meaning:
      'The CUDA driver refused a call. The message names the call and the error. After some errors, such as an illegal address, all later calls fail too.',
    example: 'A kernel accesses an illegal address on a GPU.',
    fix: 'First run the kernel on the simulator, which names the line: nccl-ts check. Then open a new world.',
  },
  NCCL_SYSTEM_ERROR: {
    meaning: 'NCCL, or a call to the operating system, failed: sockets, shared memory, files.',
    example: '/dev/shm is too small in a container.',
    fix: 'Set NCCL_DEBUG=WARN in the environment: NCCL then says which call failed. In a container, start it with --shm-size=1g and --ipc=host.',
  },
  NCCL_INTERNAL_ERROR: {
    meaning: 'NCCL or this library broke one of its own rules.',
    example: 'A pass of the compiler meets IR of an unexpected shape.',
    fix: 'Report it with the program and the message.',
  },
  NCCL_INVALID_ARGUMENT: {
    meaning:
      'An argument has a value that is not allowed. The message names the argument, the given value and the allowed ones.',
    example: 'comm.allocWindow(f32, -1)',
    fix: 'Pass a value that the message allows.',
    instead: 'comm.allocWindow(f32, 1024)',
  },
  NCCL_INVALID_USAGE: {
    meaning: 'The call is not allowed in this state, with these other arguments, or on this machine.',
    example: 'One rank calls allocWindow, but another one createDevComm.',
    fix: 'Make collective calls in the same order on all ranks. If versions differ, use headers and a library from the same NCCL release.',
  },
  NCCL_REMOTE_ERROR: {
    meaning: 'Another rank failed, so this one cannot continue. The other rank reports the reason.',
    example: "One rank's host program throws while the others wait for it.",
    fix: 'Read the error of the other rank first.',
  },
  NCCL_TIMEOUT: {
    meaning: 'A wait exceeded its time limit.',
    example: 'A rank never makes a collective call, and launchTimeout is set.',
    fix: 'Find the missing rank. The simulator names it, because it detects deadlocks. Or raise the limit.',
  },
  NCCLTS_NOT_SUPPORTED: {
    meaning:
      'The backend, the host or the kernel language does not support the request. Another backend may support it.',
    example: 'A collective uses an algorithm that needs the network, on WebGPU.',
    fix: 'Use the alternative that the message names. The README of each backend lists its features.',
  },
  NCCLTS_COMPILE: {
    meaning:
      'A kernel does not compile. The message has one report for each mistake, and each report has its own code, such as K1005.',
    example: 'A kernel uses a name from the surrounding module.',
    fix: 'Read the reports. nccl-ts explain K1005 explains that code.',
  },
  NCCLTS_DEADLOCK: {
    meaning:
      'Every remaining thread waits for a word that can no longer be written, and no host program can change that. The report lists the waits and the missing ranks.',
    example: 'A kernel calls a barrier on three of four ranks.',
    fix: 'Make all members of a barrier reach it equally often. Launch as many CTAs on each rank as the barrier expects.',
  },
  NCCLTS_FAULT: {
    meaning:
      'A thread did something that is undefined on a GPU, or an assertion of the kernel failed. The report names the thread and the line.',
    example: 'An integer is divided by a value that is zero at run time.',
    fix: 'Look at the line and the values in the report. Use print(...) to see more.',
  },
  NCCLTS_OUT_OF_BOUNDS: {
    meaning:
      'A kernel accessed bytes outside of the window, array or buffer that its pointer was made for. On a GPU, the access may have overwritten other data.',
    example: 'A loop runs over the elements of all ranks, but the window holds those of one rank.',
    fix: 'Compare the index with the size of the window. Counts are in elements, and window offsets are in bytes.',
  },
  NCCLTS_MISALIGNED: {
    meaning: 'An access of n bytes went to an address that is not a multiple of n. GPUs refuse it.',
    example: 'A vector of 16 bytes is loaded at element 1 of an f32 window.',
    fix: 'Begin at a multiple of the vector size, and handle the elements before it one by one. p.misalignment(16) returns how many bytes they take.',
  },
  NCCLTS_MISUSE: {
    meaning: 'A kernel broke a rule of the device API that NCCL does not check. On a GPU the behaviour is undefined.',
    example: 'A barrier session has an index that the device communicator does not have.',
    fix: 'Ask for what the kernel uses: createDevComm({ lsaBarrierCount: 16 }), or --require on the command line.',
  },
  NCCLTS_INCOMPLETE: {
    meaning: 'A kernel exceeded its limit on loop iterations. It may loop forever, or merely take long.',
    example: 'while (true) without a wait inside',
    fix: 'If the loop does end, raise the limit with the backend option fuel, or --fuel on the command line. Write a polling loop as a waitUntil.',
  },
  NCCLTS_NO_LAUNCH: {
    meaning:
      'A check looks at kernels, and the program ended without launching one. There is nothing to give a verdict on.',
    example: 'export async function host(comm) {}',
    fix: 'Launch the kernel on each rank: await comm.launch(kernel, { grid, block }, args).',
  },
  NCCLTS_TODO: {
    meaning:
      'nccl-ts ptx --write leaves todo() for each value that only the author of the kernel knows. A check stops at the first that is left.',
    example: "args: [data, todo('the number of elements')]",
    fix: 'Write the value in place of the todo() at the line that the message names.',
  },
  NCCLTS_PROGRAM: {
    meaning:
      'A program in JSON does not have the form of its version, or its parts do not fit: bytes of another length than the memory, an address outside of it, a name that is not there. A file of a launch that cannot be saved as such a program has this code too.',
    example: "worlds[0].memory[1].contents.base64 has 12 bytes, and 'data' has 16.",
    fix: 'The message begins with the place in the JSON. The README of @nccl-ts/launch-json describes all fields.',
  },
  NCCLTS_CUDA_NO_DRIVER: {
    meaning: 'libcuda cannot be loaded, so no GPU can be used. The simulator needs no GPU.',
    example: 'A machine without a GPU, or a container that was started without one.',
    fix: 'nvidia-smi shows whether a driver is installed. Start containers with --gpus all.',
  },
  NCCLTS_CUDA_DRIVER_TOO_OLD: {
    meaning: "The driver cannot run the toolkit's output, or lacks required calls.",
    example: 'The toolkit is CUDA 13, but the driver supports CUDA 12.',
    fix: 'Update the driver, or select an older toolkit with CUDA_HOME.',
  },
  NCCLTS_CUDA_NO_DEVICE: {
    meaning: 'The driver reports no GPU, or none with this number.',
    example: 'CUDA_VISIBLE_DEVICES is empty, or a rank asks for GPU 8 where GPUs 0 to 7 exist.',
    fix: 'Look at nvidia-smi -L and CUDA_VISIBLE_DEVICES; GPUs count from 0.',
  },
  NCCLTS_CUDA_NO_P2P: {
    meaning: "Kernels load and store a peer's memory, but these two GPUs cannot access each other's.",
    example: 'Two desktop GPUs lack peer access.',
    fix: 'nvidia-smi topo -p2p rw shows who reaches whom. Use GPUs that do, or let the ranks share one GPU.',
  },
  NCCLTS_CUDA_NO_TOOLKIT: {
    meaning: 'Kernels are compiled when they are launched, but neither NVRTC nor nvcc was found.',
    example: 'A container has only the driver.',
    fix: 'Install the CUDA toolkit, or run pip install nvidia-cuda-nvrtc. If it is installed elsewhere, set CUDA_HOME.',
  },
  NCCLTS_NCCL_NOT_FOUND: {
    meaning:
      "Kernels are compiled against NCCL's device headers, and run with its library. Both must come from the same installation.",
    example: 'The library is installed without its headers.',
    fix: 'pip install nvidia-nccl-cu13 installs both. For another folder, set NCCL_HOME.',
  },
  NCCLTS_NCCL_MISMATCH: {
    meaning: 'Headers and library share structures whose layout differs from version to version.',
    example: 'The headers are from 2.28.9, and the library from 2.30.7.',
    fix: 'Set NCCL_HOME to an installation that has both.',
  },
  NCCLTS_NCCL_TOO_OLD: {
    meaning: 'NCCL has had a device API since 2.28.3.',
    example: 'NCCL 2.27 of a distribution.',
    fix: 'Install a newer NCCL: pip install nvidia-nccl-cu13.',
  },
  NCCLTS_KOFFI_MISSING: {
    meaning: 'The CUDA backend calls native libraries through the package koffi, which you install beside it.',
    example: '@nccl-ts/backend-cuda is installed alone.',
    fix: 'npm install koffi',
  },
  NCCLTS_WEBGPU_MISSING: {
    meaning: 'Node itself has no WebGPU. The package webgpu adds it.',
    example: '@nccl-ts/backend-webgpu is installed alone.',
    fix: 'npm install webgpu. Browsers need no package.',
  },
  NCCLTS_WEBGPU_UNAVAILABLE: {
    meaning: 'The browser has no WebGPU, or disables it on this page.',
    example: 'A page is served over http, but WebGPU needs a secure context.',
    fix: 'Use https or localhost, and a browser with WebGPU; chrome://gpu says what it has.',
  },
  NCCLTS_WEBGPU_NO_ADAPTER: {
    meaning: 'WebGPU is available, but there is no GPU and no software adapter.',
    example: 'A server has no GPU driver.',
    fix: 'Install a GPU driver. Or install a Vulkan driver for the CPU, such as SwiftShader or lavapipe, and set VK_ICD_FILENAMES to it. nccl-ts doctor shows the result.',
  },
  NCCLTS_WEBGPU_NO_DEVICE: {
    meaning: 'The adapter refuses to create a device with the limits that it reports.',
    example: "Another program holds all of the GPU's memory.",
    fix: 'Close other programs that use the GPU, and try again.',
  },
  NCCLTS_WEBGPU_DEVICE_LOST: {
    meaning:
      'The GPU or its driver was reset, and all memory on it is gone. A kernel that runs for seconds can cause this.',
    example: 'The operating system resets a GPU whose kernel runs too long.',
    fix: "Open a new world. Split the kernel's work among several launches.",
  },
  NCCLTS_OUT_OF_MEMORY: {
    meaning: 'There is not enough memory for a window or buffer. The message states the available memory.',
    example: 'nccl-ts run all-reduce.ts --bytes 5G',
    fix: 'Use smaller or fewer windows, or fewer ranks. The simulator keeps the memory of all ranks in this process.',
  },
  NCCLTS_ABORTED: {
    meaning: 'An abort signal, or a call of abort, stopped the work early.',
    example: 'controller.abort() while a kernel runs',
    fix: 'If you meant to abort, there is nothing to fix. An aborted world cannot be used again: open a new one.',
  },
  NCCLTS_CLOSED: {
    meaning: 'A world, communicator, window or stream was used after it was closed.',
    example: 'await world.close(); await win.read();',
    fix: 'Read results before closing. await using closes the object at the end of the block.',
  },
};
