#include "worker/elf_symbols.hpp"

#include <elf.h>

#include <cstring>
#include <optional>
#include <type_traits>

namespace kbench::worker {
namespace {

// Reads a file that may say anything.
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

}  // namespace kbench::worker
