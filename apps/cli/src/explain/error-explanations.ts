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
      'The CUDA driver refused a call. The message has its name and its error. After some errors, such as an illegal address, all later calls fail too.',
    example: 'A kernel runs into an illegal address on a GPU.',
    fix: 'Run the kernel on the simulator first, which names the line: nccl-ts check. Then open a new world.',
  },
  NCCL_SYSTEM_ERROR: {
    meaning: 'NCCL, or a call to the operating system, failed: sockets, shared memory, files.',
    example: '/dev/shm is too small in a container.',
    fix: 'Set NCCL_DEBUG=WARN in the environment: NCCL then says which call failed. In a container, start it with --shm-size=1g and --ipc=host.',
  },
  NCCL_INTERNAL_ERROR: {
    meaning: 'NCCL or this library broke one of its own rules.',
    example: 'A pass of the compiler meets a shape that it does not expect.',
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
    fix: 'Make collective calls in the same order on all ranks. If versions differ, use headers and library of one NCCL.',
  },
  NCCL_REMOTE_ERROR: {
    meaning: 'Another rank failed, so this one cannot continue. The other rank reports the reason.',
    example: "One rank's host program throws while the others wait for it.",
    fix: 'Read the error of the other rank first.',
  },
  NCCL_TIMEOUT: {
    meaning: 'A wait had a limit, and it was over.',
    example: 'A rank never comes to a collective call, and launchTimeout is set.',
    fix: 'Find the missing rank: the simulator names it, since it detects deadlocks. Or raise the limit.',
  },
  NCCLTS_NOT_SUPPORTED: {
    meaning:
      'The backend, the host or the kernel language does not support the request. On another backend it may work.',
    example: 'A collective by an algorithm that needs the network, on WebGPU.',
    fix: 'Use the alternative that the message names. The README of each backend lists its features.',
  },
  NCCLTS_COMPILE: {
    meaning:
      'A kernel does not compile. The message has one report for each mistake, with its own code: K1005 and so on.',
    example: 'A kernel uses a name of the module around it.',
    fix: 'Look at the reports. nccl-ts explain K1005 explains the code of one.',
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
    fix: 'Look at the line, and at the values that the report shows. print(...) shows more.',
  },
  NCCLTS_OUT_OF_BOUNDS: {
    meaning:
      'A kernel accessed bytes outside of the window, array or buffer that its pointer was made for. On a GPU it may have changed something else.',
    example: 'A loop that runs to the count of all ranks on a window of one rank.',
    fix: 'Compare the index with the size of the window: counts are elements, offsets of windows are bytes.',
  },
  NCCLTS_MISALIGNED: {
    meaning: 'An access of n bytes went to an address that is not a multiple of n. GPUs refuse it.',
    example: 'A vector of 16 bytes is loaded at element 1 of an f32 window.',
    fix: 'Begin at a multiple of the vector size, and handle the first elements one by one: p.misalignment(16) returns their bytes.',
  },
  NCCLTS_MISUSE: {
    meaning: 'A kernel broke a rule of the device API that NCCL does not check. On a GPU the behaviour is undefined.',
    example: 'A barrier with an index that the device communicator does not have.',
    fix: 'Ask for what the kernel uses: createDevComm({ lsaBarrierCount: 16 }), or --require on the command line.',
  },
  NCCLTS_INCOMPLETE: {
    meaning: 'A kernel used up its bound of steps. It may have no end, or only be long.',
    example: 'while (true) without a wait inside',
    fix: 'If the loop ends, raise the bound: the option fuel of the backend, --fuel on the command line. Write a polling loop as a waitUntil.',
  },
  NCCLTS_CUDA_NO_DRIVER: {
    meaning: 'libcuda cannot be loaded, so that no GPU can be used. The simulator needs none.',
    example: 'A machine without a GPU, or a container that was started without one.',
    fix: 'nvidia-smi shows if there is a driver. Start containers with --gpus all.',
  },
  NCCLTS_CUDA_DRIVER_TOO_OLD: {
    meaning: "The driver cannot run the toolkit's output, or lacks required calls.",
    example: 'A toolkit of CUDA 13 with a driver for CUDA 12.',
    fix: 'Update the driver, or use an older toolkit: CUDA_HOME chooses.',
  },
  NCCLTS_CUDA_NO_DEVICE: {
    meaning: 'The driver has no GPU, or not the one with this number.',
    example: 'CUDA_VISIBLE_DEVICES is empty, or a rank needs GPU 8 of 8.',
    fix: 'Look at nvidia-smi -L and CUDA_VISIBLE_DEVICES; GPUs count from 0.',
  },
  NCCLTS_CUDA_NO_P2P: {
    meaning: 'Kernels load and store the memory of a peer, and these two GPUs cannot.',
    example: 'Two GPUs of a desktop without peer access.',
    fix: 'nvidia-smi topo -p2p rw shows who reaches whom. Use GPUs that do, or let the ranks share one GPU.',
  },
  NCCLTS_CUDA_NO_TOOLKIT: {
    meaning: 'Kernels are compiled when they are launched, and there is neither NVRTC nor nvcc.',
    example: 'A container that has only the driver.',
    fix: 'Install the CUDA toolkit, or pip install nvidia-cuda-nvrtc, and set CUDA_HOME where it is elsewhere.',
  },
  NCCLTS_NCCL_NOT_FOUND: {
    meaning:
      "Kernels are compiled against NCCL's device headers, and run with its library. Both must be in one folder.",
    example: 'The library is installed without its headers.',
    fix: 'pip install nvidia-nccl-cu13 installs both. Set NCCL_HOME for another folder.',
  },
  NCCLTS_NCCL_MISMATCH: {
    meaning: 'The structures that headers and library share have a different layout in each version.',
    example: 'Headers of 2.28.9 with a library of 2.30.7.',
    fix: 'Set NCCL_HOME to one installation that has both.',
  },
  NCCLTS_NCCL_TOO_OLD: {
    meaning: 'NCCL has a device API from 2.28.3 on.',
    example: 'NCCL 2.27 of a distribution.',
    fix: 'Install a later one: pip install nvidia-nccl-cu13.',
  },
  NCCLTS_KOFFI_MISSING: {
    meaning: 'The CUDA backend calls native libraries through the package koffi, which is installed beside it.',
    example: '@nccl-ts/backend-cuda is installed alone.',
    fix: 'npm install koffi',
  },
  NCCLTS_WEBGPU_MISSING: {
    meaning: 'Node itself has no WebGPU. The package webgpu adds it.',
    example: '@nccl-ts/backend-webgpu is installed alone.',
    fix: 'npm install webgpu. Browsers need no package.',
  },
  NCCLTS_WEBGPU_UNAVAILABLE: {
    meaning: 'The browser has no WebGPU, or has switched it off for this page.',
    example: 'A page over http, where WebGPU wants a secure context.',
    fix: 'Use https or localhost, and a browser with WebGPU; chrome://gpu says what it has.',
  },
  NCCLTS_WEBGPU_NO_ADAPTER: {
    meaning: 'There is WebGPU, but no GPU and no program that takes its role.',
    example: 'A server without a GPU driver.',
    fix: 'Install a driver, or a Vulkan driver for the CPU such as SwiftShader or lavapipe, and set VK_ICD_FILENAMES to it. nccl-ts doctor shows the result.',
  },
  NCCLTS_WEBGPU_NO_DEVICE: {
    meaning: 'The adapter refuses a device with the limits that it reports.',
    example: 'Another program holds all memory of the GPU.',
    fix: 'Close other programs that use the GPU, and try again.',
  },
  NCCLTS_WEBGPU_DEVICE_LOST: {
    meaning:
      'The GPU or its driver was reset, and all memory on it is gone. A kernel that runs for seconds can cause this.',
    example: 'The system resets a GPU whose kernel does not end.',
    fix: 'Open a new world. Make the kernel shorter, or give it less work in one launch.',
  },
  NCCLTS_OUT_OF_MEMORY: {
    meaning: 'There is not enough memory for a window or buffer. The message states the available memory.',
    example: 'nccl-ts run all-reduce.ts --bytes 5G',
    fix: 'Use smaller or fewer windows, or fewer ranks. The simulator keeps the memory of all ranks in this process.',
  },
  NCCLTS_ABORTED: {
    meaning: 'A signal or a call of abort stopped the work early.',
    example: 'controller.abort() while a kernel runs',
    fix: 'Nothing, where it was meant. A world that was aborted cannot be used again: open a new one.',
  },
  NCCLTS_CLOSED: {
    meaning: 'A world, communicator, window or stream was used after it had been closed.',
    example: 'await world.close(); await win.read();',
    fix: 'Read results before closing. With await using, the end of the block closes the object.',
  },
};
