/*
 * A network for the ranks of one process, for NCCL 2.30.7: puts and gets are copies between addresses, and a signal is a word that is
 * read, added to and written back. NCCL's GIN runs on it as on a network card: kernels post their requests to NCCL's queues, and
 * NCCL's own threads take them here. One request at a time, each done when the call returns, so all of it is in order: more than a
 * network promises.
 *
 *   g++ -std=c++17 -O1 -shared -fPIC -I$CUDA_HOME/include network.cc -L$CUDA_HOME/lib64 -lcudart -o network.so
 *   NCCL_RMA_PLUGIN=$PWD/network.so ...
 */
#include <cuda_runtime.h>
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace {

/* What NCCL and a plugin tell each other, in the order that NCCL has it. */
enum Result : int { kSuccess = 0, kCudaError = 1, kInternalError = 3 };
constexpr int kHostMemory = 1, kDeviceMemory = 2, kGinProxy = 2, kSignalIncrement = 1;
constexpr size_t kHandleBytes = 128;

struct Properties {
  const char *name, *pciPath;
  uint64_t guid;
  int memory, registersForAll, forceFlush, megabits, port;
  float latency;
  int maxComms, maxRequests, deviceType, deviceVersion;
  int parts, part[8];
  size_t maxBytes, maxCollectiveBytes;
  int maxTogether;
  int16_t rail, plane;
};

struct Network {
  const char *name;
  Result (*init)(void **network, uint64_t id, void *log);
  Result (*devices)(int *count);
  Result (*properties)(int device, Properties *out);
  Result (*listen)(void *network, int device, void *handle, void **listener);
  Result (*connect)(void *network, void *handles[], int ranks, int rank, void *listener, void **link);
  Result (*createContext)(void *link, void *config, void **context);
  Result (*enter)(void *link, void *memory, size_t bytes, int kind, uint64_t flags, void **region);
  void *enterByFile;
  Result (*leave)(void *link, void *region);
  Result (*destroyContext)(void *context);
  Result (*closeLink)(void *link);
  Result (*closeListener)(void *listener);
  Result (*put)(void *context, int number, uint64_t from, void *source, size_t bytes, uint64_t to, void *target, uint32_t rank,
                void **request);
  Result (*putSignal)(void *context, int number, uint64_t from, void *source, size_t bytes, uint64_t to, void *target, uint32_t rank,
                      uint64_t at, void *signals, uint64_t value, uint32_t how, bool isStrong, void **request);
  Result (*get)(void *context, int number, uint64_t from, void *source, size_t bytes, uint64_t to, void *target, uint32_t rank,
                void **request);
  Result (*flush)(void *context, int number, void *region, uint32_t rank, void **request);
  Result (*test)(void *link, void *request, int *isDone);
  Result (*progress)(void *context);
  Result (*lastError)(void *context, bool *hasError);
  Result (*finalize)(void *network);
};

/* All ranks enter their memory in the same order: the n-th of one belongs to the n-th of the others. */
struct Team {
  std::vector<std::vector<char *>> memory;
};
struct Link {
  std::shared_ptr<Team> team;
  int rank;
};
struct Region {
  Link *link;
  size_t number;
};

std::mutex turns;
std::map<std::string, std::shared_ptr<Team>> teams;
int listeners;
cudaStream_t stream;
char nothing;

char *addressOf(void *region, uint64_t offset, int rank) {
  const auto *entered = static_cast<Region *>(region);
  return entered->link->team->memory[rank][entered->number] + offset;
}
int ownRank(void *region) { return static_cast<Region *>(region)->link->rank; }

/* Of a priority that no rank's stream has, to keep apart from kernels that wait for what it brings. */
Result createStream() {
  int lowest, highest;
  const bool isThere = cudaDeviceGetStreamPriorityRange(&lowest, &highest) == cudaSuccess &&
                       cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, highest) == cudaSuccess;
  return isThere ? kSuccess : kCudaError;
}

Result copy(void *to, const void *from, size_t bytes) {
  if (bytes == 0) return kSuccess;
  if (stream == nullptr && createStream() != kSuccess) return kCudaError;
  const bool isDone = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream) == cudaSuccess &&
                      cudaStreamSynchronize(stream) == cudaSuccess;
  return isDone ? kSuccess : kCudaError;
}

Result init(void **network, uint64_t, void *) {
  *network = &nothing;
  return kSuccess;
}
Result devices(int *count) {
  *count = 1;
  return kSuccess;
}
Result properties(int, Properties *out) {
  *out = Properties{};
  out->name = "one process";
  out->guid = 1;
  out->memory = kHostMemory | kDeviceMemory;
  out->megabits = 100000;
  out->maxComms = 1 << 16;
  out->maxRequests = 8;
  out->deviceType = kGinProxy;
  out->deviceVersion = 100;
  out->parts = 1;
  out->maxBytes = out->maxCollectiveBytes = size_t{1} << 40;
  out->maxTogether = 1;
  out->rail = out->plane = -1;
  return kSuccess;
}
Result listen(void *, int, void *handle, void **listener) {
  const std::lock_guard<std::mutex> turn(turns);
  std::memset(handle, 0, kHandleBytes);
  std::snprintf(static_cast<char *>(handle), kHandleBytes, "listener %d", ++listeners);
  *listener = &nothing;
  return kSuccess;
}
Result connect(void *, void *handles[], int ranks, int rank, void *, void **link) {
  const std::lock_guard<std::mutex> turn(turns);
  auto &team = teams[static_cast<char *>(handles[0])];
  if (team == nullptr) {
    team = std::make_shared<Team>();
    team->memory.resize(ranks);
  }
  *link = new Link{team, rank};
  return kSuccess;
}
Result createContext(void *link, void *, void **context) {
  *context = link;
  return kSuccess;
}
Result enter(void *link, void *memory, size_t, int, uint64_t, void **region) {
  const std::lock_guard<std::mutex> turn(turns);
  auto *own = static_cast<Link *>(link);
  auto &entered = own->team->memory[own->rank];
  entered.push_back(static_cast<char *>(memory));
  *region = new Region{own, entered.size() - 1};
  return kSuccess;
}
/* Numbers are not given out again, and requests of others may still be under way: what was entered stays until the end of the process. */
Result leave(void *, void *) { return kSuccess; }
Result nothingToDo(void *) { return kSuccess; }

/* What holds `turns` calls this. */
Result putNow(uint64_t from, void *source, size_t bytes, uint64_t to, void *target, uint32_t rank) {
  if (bytes == 0) return kSuccess;
  return copy(addressOf(target, to, rank), addressOf(source, from, ownRank(source)), bytes);
}
Result put(void *, int, uint64_t from, void *source, size_t bytes, uint64_t to, void *target, uint32_t rank, void **request) {
  const std::lock_guard<std::mutex> turn(turns);
  *request = &nothing;
  return putNow(from, source, bytes, to, target, rank);
}
Result putSignal(void *, int, uint64_t from, void *source, size_t bytes, uint64_t to, void *target, uint32_t rank, uint64_t at,
                 void *signals, uint64_t value, uint32_t how, bool, void **request) {
  const std::lock_guard<std::mutex> turn(turns);
  *request = &nothing;
  const Result sent = putNow(from, source, bytes, to, target, rank);
  if (sent != kSuccess) return sent;
  char *const word = addressOf(signals, at, rank);
  uint64_t count = 0;
  const Result read = copy(&count, word, sizeof count);
  if (read != kSuccess) return read;
  count += how == kSignalIncrement ? 1 : value;
  return copy(word, &count, sizeof count);
}
Result get(void *, int, uint64_t from, void *source, size_t bytes, uint64_t to, void *target, uint32_t rank, void **request) {
  const std::lock_guard<std::mutex> turn(turns);
  *request = &nothing;
  return bytes == 0 ? kSuccess : copy(addressOf(target, to, ownRank(target)), addressOf(source, from, rank), bytes);
}
Result flush(void *, int, void *, uint32_t, void **request) {
  *request = nullptr;
  return kSuccess;
}
Result test(void *, void *, int *isDone) {
  *isDone = 1;
  return kSuccess;
}
/*
 * NCCL's threads call this all the time. They store in write-combined memory, without a fence, what a kernel's flush waits for; what a network
 * card's driver does for its doorbells would drive that out of the core.
 */
Result progress(void *) {
  _mm_sfence();
  return kSuccess;
}
Result lastError(void *, bool *hasError) {
  *hasError = false;
  return kSuccess;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const Network ncclRmaPlugin_v14 = {
    "one process", init, devices, properties,    listen, connect, createContext, enter, nullptr, leave,     nothingToDo,
    nothingToDo,   nothingToDo, put, putSignal, get,    flush,   test,          progress, lastError, nothingToDo};
