// SPDX-License-Identifier: Apache-2.0
// See child_process.h.
#include "sbog/base/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill, POSIX
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/close_range.h>
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "sbog/base/errors.h"
#include "sbog/base/stopwatch.h"

namespace sbog {
namespace {

constexpr std::size_t kLongestLine = 200;
constexpr int kWaitMilliseconds = 10;

// A descriptor that is closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  void take(int number) {
    close();
    number_ = number;
  }

 private:
  int number_;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

void open_pipe(Pipe& pipe, const std::string& program) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw IoError(program,
                  std::string("cannot be started: ") + std::strerror(errno));
  }
  pipe.read.take(ends[0]);
  pipe.write.take(ends[1]);
}

// The output as it comes: the first bytes to the log, the last line in memory.
class Output {
 public:
  Output(const std::string& path, std::size_t limit)
      : path_(path), left_(limit) {
    if (path.empty()) return;
    log_.take(::open(path.c_str(),
                     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                     0644));
    if (!log_.is_open()) fail();
  }

  void add(const char* data, std::size_t size) {
    printed_ += size;
    remember(std::string_view(data, size));
    const std::size_t kept = std::min(size, left_);
    left_ -= kept;
    if (!log_.is_open()) return;
    std::size_t done = 0;
    while (done < kept) {
      const ssize_t wrote = ::write(log_.number(), data + done, kept - done);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) fail();
      done += static_cast<std::size_t>(wrote);
    }
  }

  std::uint64_t printed() const { return printed_; }
  const std::string& last_line() const { return line_; }

 private:
  [[noreturn]] void fail() const {
    throw IoError(path_,
                  std::string("cannot be written: ") + std::strerror(errno));
  }

  // By the ends of lines alone, since programs print gigabytes.
  void remember(std::string_view text) {
    const std::size_t last = text.find_last_not_of("\n\r");
    if (last == std::string_view::npos) {
      is_ended_ = is_ended_ || !text.empty();
      return;
    }
    const std::string_view body = text.substr(0, last + 1);
    std::string_view line = body;
    for (const char end : {'\n', '\r'}) {
      const void* found = ::memrchr(line.data(), end, line.size());
      if (found == nullptr) continue;
      line.remove_prefix(static_cast<std::size_t>(
          static_cast<const char*>(found) - line.data() + 1));
    }
    if (is_ended_ || line.size() < body.size()) line_.clear();
    line_ +=
        line.substr(0, kLongestLine - std::min(kLongestLine, line_.size()));
    is_ended_ = last + 1 < text.size();
  }

  std::string path_;
  Descriptor log_;
  std::size_t left_;
  std::uint64_t printed_ = 0;
  std::string line_;
  bool is_ended_ = false;
};

// Between fork and exec only calls that are safe there.
[[noreturn]] void become(char* const* words, int output, int error_pipe,
                         [[maybe_unused]] pid_t parent) {
  ::setpgid(0, 0);
#ifdef __linux__
  // A killed parent takes the program with it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
#endif
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGQUIT}) {
    ::sigaction(number, &usual, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int input = ::open("/dev/null", O_RDONLY);
  if (input >= 0) ::dup2(input, 0);
  ::dup2(output, 1);
  ::dup2(output, 2);
#ifdef __linux__
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
#endif
  ::execvp(words[0], words);
  const int error = errno;
  const ssize_t wrote = ::write(error_pipe, &error, sizeof error);
  ::_exit(wrote < 0 ? 126 : 127);
}

// The program's process, which leads a group of its own.
class Child {
 public:
  Child(const std::vector<std::string>& words, int output) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (const std::string& word : words) {
      pointers.push_back(const_cast<char*>(word.c_str()));
    }
    pointers.push_back(nullptr);
    Pipe errors;
    open_pipe(errors, words[0]);
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ < 0) {
      throw IoError(words[0],
                    std::string("cannot be started: ") + std::strerror(errno));
    }
    if (process_ == 0) {
      become(pointers.data(), output, errors.write.number(), parent);
    }
    ::setpgid(process_, process_);  // whoever comes first
    errors.write.close();
    int error = 0;
    ssize_t got = 0;
    do {
      got = ::read(errors.read.number(), &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) return;
    end();
    throw IoError(words[0],
                  std::string("cannot be started: ") + std::strerror(error));
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { end(); }

  // It stays known to the system, so that its group keeps its number.
  bool has_ended() const {
    siginfo_t info = {};
    return ::waitid(P_PID, static_cast<id_t>(process_), &info,
                    WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == process_;
  }

  // Kills what is left of the group; the status of the program.
  int end() {
    if (process_ <= 0) return status_;
    ::kill(-process_, SIGKILL);
    while (::waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
    }
    process_ = 0;
    return status_;
  }

 private:
  pid_t process_ = 0;
  int status_ = 0;
};

// Reads what is there; false at the end of the output.
bool read_some(int descriptor, Output& output) {
  std::array<char, 65536> bytes;
  const ssize_t got = ::read(descriptor, bytes.data(), bytes.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  output.add(bytes.data(), static_cast<std::size_t>(got));
  return got > 0;
}

// Waits for output or for a moment.
bool is_readable(const Descriptor& pipe, int milliseconds) {
  pollfd entry = {pipe.number(), POLLIN, 0};
  const bool is_open = pipe.is_open();
  const int ready = ::poll(&entry, is_open ? 1 : 0, milliseconds);
  return is_open && ready > 0;
}

// What was printed before the end and not read yet. A process that left the
// group may still hold the pipe: nobody waits for it.
void drain(Descriptor& pipe, Output& output) {
  if (!pipe.is_open()) return;
  constexpr std::size_t kMostReads = 64;  // a pipe holds 64 KiB, rarely 1 MiB
  for (std::size_t i = 0; i < kMostReads && is_readable(pipe, 0); ++i) {
    if (!read_some(pipe.number(), output)) return;
  }
}

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote != '\'' && c == '\\' && i + 1 < text.size()) {
      word = word.value_or("") + text[++i];
    } else if (quote != 0) {
      *word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      word = word.value_or("");
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (word) words.push_back(*word);
      word.reset();
    } else {
      word = word.value_or("") + c;
    }
  }
  if (quote != 0) {
    throw InvalidArgument(std::string("a closing ") + quote + " is expected");
  }
  if (word) words.push_back(*word);
  return words;
}

ChildResult run_child(const ChildOptions& options) {
  if (options.words.empty()) {
    throw InvalidArgument("run_child: a program is expected");
  }
  const Stopwatch watch;
  Output output(options.log, options.log_limit);
  Pipe pipe;
  open_pipe(pipe, options.words[0]);
  Child child(options.words, pipe.write.number());
  pipe.write.close();
  ChildResult result;
  std::optional<ChildEnd> forced;
  while (!child.has_ended()) {
    if (options.is_stopped && options.is_stopped()) {
      forced = ChildEnd::kStopped;
    } else if (watch.seconds() > options.timeout_seconds) {
      forced = ChildEnd::kTimedOut;
    }
    if (forced) break;
    if (is_readable(pipe.read, kWaitMilliseconds) &&
        !read_some(pipe.read.number(), output)) {
      pipe.read.close();
    }
  }
  const int status = child.end();
  drain(pipe.read, output);
  result.seconds = watch.seconds();
  result.printed = output.printed();
  result.last_line = output.last_line();
  if (forced) {
    result.end = *forced;
  } else if (WIFSIGNALED(status)) {
    result.end = ChildEnd::kSignal;
    result.code = WTERMSIG(status);
  } else {
    result.code = WEXITSTATUS(status);
  }
  return result;
}

}  // namespace sbog
