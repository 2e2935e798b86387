// Launches of any kernel on all GPUs, as apps/bench/src/public-kernels/record.ts records them from a
// harness: measured in the same graphs as the peers of peers.cu.
//
//   recorded-launches --gpus 2 --launches FOLDER
//
// Requests and answers are those of peers.cu. The contender and the bytes name the file
// CONTENDER-BYTES.launches in FOLDER, which names PTX files there: NAME.cubin is loaded in place of
// NAME.ptx if there is one. With `check`, the memory is written anew, each of `repeats` launches is
// compared with the results that the harness expects after one, and `wrong` counts the bytes that
// differ. Between two launches the results are overwritten; those in place become inputs again. It needs the driver, libc and libstdc++.
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>

#include "peers/graphs.cuh"

namespace recorded {

using Bytes = std::vector<unsigned char>;

inline Bytes bytesOf(std::string const& hex) {
  Bytes bytes;
  if (hex == "-") return bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back((unsigned char)strtoul(hex.substr(i, 2).c_str(), nullptr, 16));
  return bytes;
}

// The place of an address in an image or in arguments: that of byte `offset` of an allocation.
struct Address {
  size_t at;
  int rank, allocation;
  size_t offset;
};

// Contents that repeat to the end of an allocation or a part of it.
struct Image {
  int rank, allocation;
  size_t from = 0, length = 0;
  Bytes period;
  std::vector<Address> addresses;
};

struct Launch {
  int rank;
  std::string file, entry;
  unsigned grid[3], block[3], shared, cluster;
  bool programmatic;
  std::vector<size_t> offsets;
  Bytes arguments;
  std::vector<Address> addresses;
};

struct Record {
  int ranks = 0;
  std::vector<size_t> sizes;
  std::vector<Image> images, expected;
  std::vector<Launch> launches;
};

inline Record readRecord(std::string const& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("there is no " + path);
  Record record;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::string kind, text;
    in >> kind;
    if (kind == "ranks") in >> record.ranks;
    else if (kind == "memory") {
      size_t size;
      in >> size;
      record.sizes.push_back(size);
    } else if (kind == "image") {
      Image image;
      in >> image.rank >> image.allocation >> text;
      image.length = record.sizes.at(image.allocation);
      image.period = bytesOf(text);
      record.images.push_back(image);
    } else if (kind == "expect") {
      Image image;
      in >> image.rank >> image.allocation >> image.from >> image.length >> text;
      image.period = bytesOf(text);
      record.expected.push_back(image);
    } else if (kind == "launch") {
      Launch launch;
      std::string offsets;
      in >> launch.rank >> launch.file >> launch.entry;
      for (unsigned& size : launch.grid) in >> size;
      for (unsigned& size : launch.block) in >> size;
      in >> launch.shared >> launch.cluster >> launch.programmatic >> offsets >> text;
      std::istringstream list(offsets);
      for (std::string one; offsets != "-" && std::getline(list, one, ',');) launch.offsets.push_back(std::stoul(one));
      launch.arguments = bytesOf(text);
      record.launches.push_back(launch);
    } else if (kind == "address") {
      std::string where;
      int allocation;
      Address address;
      in >> where >> allocation >> address.at >> address.rank >> address.allocation >> address.offset;
      if (where == "launch") record.launches.back().addresses.push_back(address);
      else record.images.back().addresses.push_back(address);
    } else if (kind != "launches") throw std::runtime_error(path + " has a line " + kind);
    if (!in && !in.eof()) throw std::runtime_error(path + ": cannot read " + line.substr(0, 60));
  }
  return record;
}

__global__ void repeat(unsigned char* to, size_t count, unsigned char const* period, size_t length) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
    to[i] = period[i % length];
}

__global__ void countWrong(unsigned char const* of, size_t count, unsigned char const* period, size_t length,
                           unsigned long long* wrong) {
  unsigned long long found = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
    if (of[i] != period[i % length]) found++;
  if (found > 0) atomicAdd(wrong, found);
}

// The code of a file, which is loaded once for all GPUs.
class Library {
 public:
  explicit Library(std::string const& path) {
    std::string cubin = path;
    const size_t dot = cubin.rfind(".ptx");
    if (dot != std::string::npos) cubin.replace(dot, 4, ".cubin");
    std::ifstream assembled(cubin, std::ios::binary), text(path, std::ios::binary);
    std::ifstream& from = assembled ? assembled : text;
    if (!from) throw std::runtime_error("there is no " + path);
    std::string code((std::istreambuf_iterator<char>(from)), std::istreambuf_iterator<char>());
    CHECKED(cudaLibraryLoadData(&library_, code.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  }
  cudaKernel_t kernel(std::string const& name) const {
    cudaKernel_t found;
    CHECKED(cudaLibraryGetKernel(&found, library_, name.c_str()));
    return found;
  }

 private:
  cudaLibrary_t library_ = nullptr;
};

}  // namespace recorded

class Recorded : public Contender {
 public:
  Recorded(std::vector<Gpu> const& gpus, std::string const& folder, std::string const& path)
      : gpus_(gpus), record_(recorded::readRecord(path)) {
    if (record_.ranks != (int)gpus.size())
      throw std::runtime_error(path + " is for " + std::to_string(record_.ranks) + " GPUs");
    memory_.resize(gpus.size());
    for (size_t g = 0; g < gpus.size(); g++)
      for (size_t size : record_.sizes) memory_[g].emplace_back((int)g, (size + 255) / 256 * 256);
    for (auto& launch : record_.launches) {
      place(launch.arguments, launch.addresses);
      std::unique_ptr<recorded::Library>& library = libraries_[launch.file];
      if (!library) library = std::make_unique<recorded::Library>(folder + "/" + launch.file);
      kernels_.push_back(library->kernel(launch.entry));
    }
    for (auto& image : record_.images) place(image.period, image.addresses);
    for (auto const& image : record_.images) periods_.push_back(uploaded(image));
    for (auto const& image : record_.expected) expected_.push_back(uploaded(image));
  }

  std::string refusal(Request const&) const override { return ""; }

  void start(Request const&, int rank, size_t) override {
    for (size_t i = 0; i < record_.launches.size(); i++) {
      auto& launch = record_.launches[i];
      if (launch.rank != rank) continue;
      std::vector<void*> arguments;
      for (size_t offset : launch.offsets) arguments.push_back(launch.arguments.data() + offset);
      cudaLaunchConfig_t config = {};
      config.gridDim = dim3(launch.grid[0], launch.grid[1], launch.grid[2]);
      config.blockDim = dim3(launch.block[0], launch.block[1], launch.block[2]);
      config.dynamicSmemBytes = launch.shared;
      config.stream = gpus_[rank].stream;
      cudaLaunchAttribute attributes[2] = {};
      config.attrs = attributes;
      if (launch.programmatic) {
        attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
      }
      if (launch.cluster > 1) {
        attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attributes[config.numAttrs++].val.clusterDim = {launch.cluster, 1, 1};
      }
      CHECKED(cudaSetDevice(rank));
      CHECKED(cudaLaunchKernelExC(&config, (void const*)kernels_[i], arguments.data()));
    }
  }

  // Writes all memory anew.
  void reset() {
    for (size_t i = 0; i < record_.images.size(); i++) {
      auto const& image = record_.images[i];
      CHECKED(cudaSetDevice(image.rank));
      recorded::repeat<<<264, 512>>>(memory_[image.rank][image.allocation].as<unsigned char>(), image.length,
                                     periods_[i].as<unsigned char>(), image.period.size());
      CHECKED(cudaGetLastError());
    }
    synchronizeAll(gpus_);
  }

  // The bytes of the results of so many launches that are not as expected after one.
  unsigned long long wrongOf(Request const& r, int repeats) {
    reset();
    for (size_t g = 0; g < gpus_.size(); g++) {
      CHECKED(cudaSetDevice((int)g));
      CHECKED(cudaMemset(gpus_[g].wrong.as(), 0, sizeof(unsigned long long)));
    }
    synchronizeAll(gpus_);
    for (int launch = 0; launch < repeats; launch++) {
      for (size_t g = 0; g < gpus_.size(); g++) start(r, (int)g, 0);
      for (size_t i = 0; i < record_.expected.size(); i++) {
        auto const& image = record_.expected[i];
        Gpu const& gpu = gpus_[image.rank];
        CHECKED(cudaSetDevice(image.rank));
        auto* results = memory_[image.rank][image.allocation].as<unsigned char>() + image.from;
        recorded::countWrong<<<64, 512, 0, gpu.stream>>>(results, image.length, expected_[i].as<unsigned char>(),
                                                         image.period.size(), gpu.wrong.as<unsigned long long>());
        CHECKED(cudaGetLastError());
        if (launch + 1 < repeats) clear(image, results);
      }
    }
    synchronizeAll(gpus_);
    unsigned long long total = 0;
    for (size_t g = 0; g < gpus_.size(); g++) {
      unsigned long long found = 0;
      CHECKED(cudaSetDevice((int)g));
      CHECKED(cudaMemcpy(&found, gpus_[g].wrong.as(), sizeof found, cudaMemcpyDeviceToHost));
      total += found;
    }
    reset();
    return total;
  }

 private:
  std::vector<Gpu> const& gpus_;
  recorded::Record record_;
  std::vector<std::vector<Memory>> memory_;
  std::vector<Memory> periods_, expected_;
  std::map<std::string, std::unique_ptr<recorded::Library>> libraries_;
  std::vector<cudaKernel_t> kernels_;

  void place(recorded::Bytes& bytes, std::vector<recorded::Address> const& addresses) const {
    for (auto const& one : addresses) {
      const unsigned long long value = (unsigned long long)memory_[one.rank][one.allocation].as() + one.offset;
      if (one.at + sizeof value > bytes.size()) throw std::runtime_error("an address is outside of its bytes");
      memcpy(bytes.data() + one.at, &value, sizeof value);
    }
  }

  // The next launch must write the results again. Where they replace inputs, it needs these again.
  void clear(recorded::Image const& results, unsigned char* at) {
    cudaStream_t stream = gpus_[results.rank].stream;
    for (size_t i = 0; i < record_.images.size(); i++) {
      auto const& image = record_.images[i];
      if (image.rank != results.rank || image.allocation != results.allocation || image.period.size() == 1) continue;
      recorded::repeat<<<64, 512, 0, stream>>>(memory_[image.rank][image.allocation].as<unsigned char>(), image.length,
                                               periods_[i].as<unsigned char>(), image.period.size());
      CHECKED(cudaGetLastError());
      return;
    }
    CHECKED(cudaMemsetAsync(at, 0xff, results.length, stream));
  }

  static Memory uploaded(recorded::Image const& image) {
    Memory memory(image.rank, image.period.size());
    CHECKED(cudaMemcpy(memory.as(), image.period.data(), image.period.size(), cudaMemcpyHostToDevice));
    return memory;
  }
};

int main(int argc, char** argv) {
  int count = 2;
  std::string folder = ".";
  for (int i = 1; i + 1 < argc; i++) {
    if (strcmp(argv[i], "--gpus") == 0) count = atoi(argv[i + 1]);
    if (strcmp(argv[i], "--launches") == 0) folder = argv[i + 1];
  }
  // Without GPUs it reads records, which a test compares.
  if (argc > 2 && strcmp(argv[1], "--read") == 0) {
    try {
      const recorded::Record record = recorded::readRecord(argv[2]);
      printf("%d ranks, %zu allocations, %zu images, %zu launches, %zu results\n", record.ranks, record.sizes.size(),
             record.images.size(), record.launches.size(), record.expected.size());
      return 0;
    } catch (std::exception const& error) {
      fprintf(stderr, "recorded-launches: %s\n", error.what());
      return 1;
    }
  }
  std::vector<Gpu> gpus;
  try {
    gpus = openGpus(count);
  } catch (std::exception const& error) {
    fprintf(stderr, "recorded-launches: %s\n", error.what());
    return 1;
  }
  // Of one size: the graphs name the memory of the contenders.
  std::string size;
  std::map<std::string, std::unique_ptr<Recorded>> contenders;
  Graphs graphs;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      const Request r = requestOf(line);
      if (std::to_string(r.bytes) != size) {
        graphs.clear();
        contenders.clear();
        size = std::to_string(r.bytes);
      }
      std::unique_ptr<Recorded>& found = contenders[r.contender];
      if (!found) {
        found = std::make_unique<Recorded>(gpus, folder, folder + "/" + r.contender + "-" + size + ".launches");
        found->reset();
      }
      std::string wrong;
      if (r.check) wrong = ",\"wrong\":" + std::to_string(found->wrongOf(r, atoi(valueOf(line, "repeats").c_str())));
      Graph& graph = graphs.get(gpus, *found, r);
      printf("@{\"us\":%.4f%s}\n", microsecondsOf(graph, r), wrong.c_str());
    } catch (std::exception const& error) {
      answerError(error.what());
    }
    fflush(stdout);
  }
}
