#include "worker/kernel_listing.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

#include "base/file.hpp"
#include "worker/candidate.hpp"

namespace kbench::worker {
namespace {

// Reader of a file that may say anything.
class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  std::vector<ElfSymbol> read() const {
    std::vector<ElfSymbol> symbols;
    const auto header = at<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64)
      return symbols;
    for (std::size_t i = 0; i < header->e_shnum; ++i) {
      const auto section = section_at(*header, i);
      if (section && section->sh_type == SHT_DYNSYM)
        add_all(*section, section_at(*header, section->sh_link), symbols);
    }
    return symbols;
  }

 private:
  template <typename T>
  std::optional<T> at(std::size_t offset) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (offset > file_.size() || file_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, file_.data() + offset, sizeof value);
    return value;
  }

  std::optional<Elf64_Shdr> section_at(const Elf64_Ehdr& header, std::size_t index) const {
    return at<Elf64_Shdr>(header.e_shoff + index * sizeof(Elf64_Shdr));
  }

  void add_all(const Elf64_Shdr& table, const std::optional<Elf64_Shdr>& names,
               std::vector<ElfSymbol>& out) const {
    if (!names) return;
    for (std::size_t at_byte = 0; at_byte < table.sh_size; at_byte += sizeof(Elf64_Sym)) {
      const auto symbol = at<Elf64_Sym>(table.sh_offset + at_byte);
      if (!symbol) return;
      out.push_back({name_at(names->sh_offset + symbol->st_name), symbol->st_shndx != SHN_UNDEF});
    }
  }

  std::string name_at(std::size_t offset) const {
    if (offset >= file_.size()) return "";
    return std::string(file_.substr(offset, file_.find('\0', offset) - offset));
  }

  std::string_view file_;
};

}  // namespace

std::vector<ElfSymbol> dynamic_symbols(std::string_view file) { return Reader(file).read(); }

namespace {

constexpr int listing = 3;
constexpr std::size_t texts_each = 4;
constexpr std::size_t most_kernels = 10'000;
constexpr const char* listing_symbol = "kbench_registered_kernel";

void append(std::string& all, const char* text) {
  all += text != nullptr ? text : "";
  all += '\0';
}

std::string problem(const std::string& why) {
  std::string texts;
  append(texts, why.c_str());
  return texts;
}

int write_all(const std::string& texts) {
  for (std::size_t done = 0; done < texts.size();) {
    const ssize_t n = ::write(listing, texts.data() + done, texts.size() - done);
    if (n <= 0) return 1;
    done += static_cast<std::size_t>(n);
  }
  return 0;
}

// Recognises "torch::executor::register_mylib_kernels()", codegen's for manual registration.
bool registers(const ElfSymbol& symbol) {
  constexpr std::string_view name_space = "_ZN5torch8executor";
  if (!symbol.is_defined || !symbol.name.starts_with(name_space)) return false;
  const std::size_t name = symbol.name.find_first_not_of("0123456789", name_space.size());
  return symbol.name.compare(name, 9, "register_") == 0 && symbol.name.ends_with("_kernelsEv");
}

bool is_of_executorch(const ElfSymbol& symbol) {
  return symbol.name.starts_with("_ZN10executorch");
}

// Symbols of libraries from codegen --as tvm-ffi, and --as torch.
bool is_of_tvm_ffi(const ElfSymbol& symbol) {
  return symbol.is_defined && symbol.name.starts_with("__tvm_ffi_");
}
bool is_of_torch(const ElfSymbol& symbol) {
  return !symbol.is_defined && symbol.name.starts_with("_ZN5torch7Library");
}

// Returns why there is nothing to ask the library for its kernels.
std::string missing_listing(const std::vector<ElfSymbol>& symbols) {
  if (std::any_of(symbols.begin(), symbols.end(), is_of_executorch))
    return "it was built with ExecuTorch's own headers: its kernels are in ExecuTorch's registry, "
           "which cannot be listed";
  if (std::any_of(symbols.begin(), symbols.end(), is_of_tvm_ffi))
    return "it is a library of TVM-FFI: its functions are called by their names, and nothing is "
           "registered";
  if (std::any_of(symbols.begin(), symbols.end(), is_of_torch))
    return "it is a library of PyTorch: its operators are in torch.ops, and PyTorch's registry "
           "cannot be listed";
  return std::string("it does not export ") + listing_symbol +
         ": libraries that do are built from the output of kbench kernels codegen, its "
         "kbench_registry.cpp included";
}

// Has a library register its kernels that nobody else has called, where it has a function for it.
void register_by_hand(void* library, const std::vector<ElfSymbol>& symbols) {
  for (const ElfSymbol& symbol : symbols) {
    if (!registers(symbol)) continue;
    // The error went to stderr, and what could be registered is there.
    const auto function = reinterpret_cast<int (*)()>(::dlsym(library, symbol.name.c_str()));
    if (function != nullptr && function() != 0) ::_exit(1);
  }
}

bool exports_listing(const ElfSymbol& symbol) {
  return symbol.is_defined && symbol.name == listing_symbol;
}

// Tells whether a library is not even to be loaded: what it needs is elsewhere, and without
// ExecuTorch its constructors would end this process.
bool is_hopeless(const std::vector<ElfSymbol>& symbols) {
  const auto is_of_others = [](const ElfSymbol& symbol) {
    return is_of_executorch(symbol) || is_of_tvm_ffi(symbol) || is_of_torch(symbol);
  };
  return std::any_of(symbols.begin(), symbols.end(), is_of_others) &&
         std::none_of(symbols.begin(), symbols.end(), exports_listing);
}

using Listing = int (*)(std::size_t index, const char* texts[texts_each]);

std::string all_of(Listing kernel) {
  std::string texts;
  append(texts, listing_is_good);
  const char* of_one[texts_each] = {};
  for (std::size_t i = 0; kernel(i, of_one) != 0; ++i) {
    if (i == most_kernels) return problem("it says of more kernels than can be listed");
    for (const std::size_t text : {0, 1, 3, 2}) append(texts, of_one[text]);
    std::fill_n(of_one, texts_each, nullptr);
  }
  return texts;
}

std::string listed(const char* path) {
  const std::vector<ElfSymbol> symbols = dynamic_symbols(read_file(path));
  if (is_hopeless(symbols)) return problem(missing_listing(symbols));
  // Functions that a kernel calls may be in the program that will load the library.
  void* const library = ::dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return problem("it cannot be loaded: " + load_error(::dlerror(), path));
  const auto kernel = reinterpret_cast<Listing>(::dlsym(library, listing_symbol));
  if (kernel == nullptr) return problem(missing_listing(symbols));
  register_by_hand(library, symbols);
  return all_of(kernel);
}

}  // namespace

int list_kernels(const char* library) {
  const int status = write_all(listed(library));
  ::_exit(status);  // destructors of the library do not run
}

}  // namespace kbench::worker
