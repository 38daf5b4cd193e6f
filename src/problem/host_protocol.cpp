#include "problem/host_protocol.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace kbench {
namespace {

using Json = nlohmann::json;

std::string host_message(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostGpu, torch_device, driver, cupti, environment, devices,
                                   readable)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostRequest, folder, file, function, prepare, parameters,
                                   scalars, outputs, directory, memory_bytes, file_bytes, processes,
                                   threads, cores, emulated_seconds, isolation, starts_compilers,
                                   compiler, gpu)

std::string encode(const HostRequest& request) { return host_message(request); }
std::string encode(const HostReply& reply) {
  return host_message({{"pid", reply.pid},
                       {"init", reply.init},
                       {"maker", reply.maker},
                       {"message", reply.message}});
}

HostRequest decode_host_request(std::string_view text) try {
  return Json::parse(text).get<HostRequest>();
} catch (const Json::exception& error) {
  throw std::runtime_error(std::string("a request to the host cannot be read: ") + error.what());
}

HostReply decode_host_reply(std::string_view text) try {
  const Json value = Json::parse(text);
  return {value.at("pid"), value.at("init"), value.at("maker"), value.at("message")};
} catch (const Json::exception& error) {
  throw std::runtime_error(std::string("a host's reply cannot be read: ") + error.what());
}

}  // namespace kbench
