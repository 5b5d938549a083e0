// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/sections.h"

#include <algorithm>
#include <iterator>

namespace ptxmc::isa {

namespace {

struct Heading {
  std::string_view name, sections;
};

/// The headings of chapter 9.7 in PTX ISA 8.4, by name; tcgen05 is of later editions.
constexpr Heading kHeadings[] = {
    {"abs", "9.7.1.10, 9.7.3.9, 9.7.4.6"},
    {"activemask", "9.7.12.11"},
    {"add", "9.7.1.1, 9.7.3.3, 9.7.4.1"},
    {"add.cc", "9.7.2.1"},
    {"addc", "9.7.2.2"},
    {"alloca", "9.7.15.3"},
    {"and", "9.7.7.1"},
    {"applypriority", "9.7.8.15"},
    {"atom", "9.7.12.5"},
    {"bar", "9.7.12.1"},
    {"bar.warp.sync", "9.7.12.2"},
    {"barrier", "9.7.12.1"},
    {"barrier.cluster", "9.7.12.3"},
    {"bfe", "9.7.1.19"},
    {"bfi", "9.7.1.20"},
    {"bfind", "9.7.1.16"},
    {"bmsk", "9.7.1.22"},
    {"bra", "9.7.11.3"},
    {"brev", "9.7.1.18"},
    {"brkpt", "9.7.17.1"},
    {"brx.idx", "9.7.11.4"},
    {"call", "9.7.11.5"},
    {"clz", "9.7.1.15"},
    {"cnot", "9.7.7.5"},
    {"copysign", "9.7.3.2"},
    {"cos", "9.7.3.19"},
    {"cp", "9.7.8.24"},
    {"cp.async", "9.7.8.24.3"},
    {"cp.async.bulk", "9.7.8.24.6"},
    {"cp.async.bulk.commit_group", "9.7.8.24.12"},
    {"cp.async.bulk.prefetch", "9.7.8.24.8"},
    {"cp.async.bulk.prefetch.tensor", "9.7.8.24.11"},
    {"cp.async.bulk.tensor", "9.7.8.24.9"},
    {"cp.async.bulk.wait_group", "9.7.8.24.13"},
    {"cp.async.commit_group", "9.7.8.24.4"},
    {"cp.async.mbarrier.arrive", "9.7.12.15.15"},
    {"cp.async.wait_all", "9.7.8.24.5"},
    {"cp.async.wait_group", "9.7.8.24.5"},
    {"cp.reduce.async.bulk", "9.7.8.24.7"},
    {"cp.reduce.async.bulk.tensor", "9.7.8.24.10"},
    {"createpolicy", "9.7.8.17"},
    {"cvt", "9.7.8.20"},
    {"cvt.pack", "9.7.8.21"},
    {"cvta", "9.7.8.19"},
    {"discard", "9.7.8.16"},
    {"div", "9.7.1.8, 9.7.3.8"},
    {"dp2a", "9.7.1.24"},
    {"dp4a", "9.7.1.23"},
    {"elect", "9.7.12.14"},
    {"elect.sync", "9.7.12.14"},
    {"ex2", "9.7.3.21, 9.7.4.10"},
    {"exit", "9.7.11.7"},
    {"fence", "9.7.12.4"},
    {"fence.proxy", "9.7.12.4"},
    {"fma", "9.7.3.6, 9.7.4.4"},
    {"fns", "9.7.1.17"},
    {"getctarank", "9.7.8.23"},
    {"griddepcontrol", "9.7.12.13"},
    {"isspacep", "9.7.8.18"},
    {"ld", "9.7.8.8"},
    {"ld.global.nc", "9.7.8.9"},
    {"ldmatrix", "9.7.13.4.15"},
    {"ldu", "9.7.8.10"},
    {"lg2", "9.7.3.20"},
    {"lop3", "9.7.7.6"},
    {"mad", "9.7.1.4, 9.7.3.7"},
    {"mad.cc", "9.7.2.5"},
    {"mad24", "9.7.1.6"},
    {"madc", "9.7.2.6"},
    {"mapa", "9.7.8.22"},
    {"match", "9.7.12.10"},
    {"match.sync", "9.7.12.10"},
    {"max", "9.7.1.13, 9.7.3.12, 9.7.4.8"},
    {"mbarrier", "9.7.12.15"},
    {"mbarrier.arrive", "9.7.12.15.13"},
    {"mbarrier.arrive_drop", "9.7.12.15.14"},
    {"mbarrier.complete_tx", "9.7.12.15.12"},
    {"mbarrier.expect_tx", "9.7.12.15.11"},
    {"mbarrier.init", "9.7.12.15.9"},
    {"mbarrier.inval", "9.7.12.15.10"},
    {"mbarrier.pending_count", "9.7.12.15.17"},
    {"mbarrier.test_wait", "9.7.12.15.16"},
    {"mbarrier.try_wait", "9.7.12.15.16"},
    {"membar", "9.7.12.4"},
    {"min", "9.7.1.12, 9.7.3.11, 9.7.4.7"},
    {"mma", "9.7.13.4.14"},
    {"mma.sp", "9.7.13.5.3"},
    {"mov", "9.7.8.3, 9.7.8.4"},
    {"movmatrix", "9.7.13.4.17"},
    {"mul", "9.7.1.3, 9.7.3.5, 9.7.4.3"},
    {"mul24", "9.7.1.5"},
    {"multimem", "9.7.8.13"},
    {"multimem.ld_reduce", "9.7.8.13"},
    {"multimem.red", "9.7.8.13"},
    {"multimem.st", "9.7.8.13"},
    {"nanosleep", "9.7.17.2"},
    {"neg", "9.7.1.11, 9.7.3.10, 9.7.4.5"},
    {"not", "9.7.7.4"},
    {"or", "9.7.7.2"},
    {"pmevent", "9.7.17.3"},
    {"popc", "9.7.1.14"},
    {"prefetch", "9.7.8.14"},
    {"prefetchu", "9.7.8.14"},
    {"prmt", "9.7.8.7"},
    {"rcp", "9.7.3.13"},
    {"rcp.approx.ftz.f64", "9.7.3.14"},
    {"red", "9.7.12.6"},
    {"red.async", "9.7.12.7"},
    {"redux", "9.7.12.12"},
    {"redux.sync", "9.7.12.12"},
    {"rem", "9.7.1.9"},
    {"ret", "9.7.11.6"},
    {"rsqrt", "9.7.3.16"},
    {"rsqrt.approx.ftz.f64", "9.7.3.17"},
    {"sad", "9.7.1.7"},
    {"selp", "9.7.5.3"},
    {"set", "9.7.5.1, 9.7.6.1"},
    {"setmaxnreg", "9.7.17.5"},
    {"setp", "9.7.5.2, 9.7.6.2"},
    {"shf", "9.7.7.7"},
    {"shfl", "9.7.8.5"},
    {"shfl.sync", "9.7.8.6"},
    {"shl", "9.7.7.8"},
    {"shr", "9.7.7.9"},
    {"sin", "9.7.3.18"},
    {"slct", "9.7.5.4"},
    {"sqrt", "9.7.3.15"},
    {"st", "9.7.8.11"},
    {"st.async", "9.7.8.12"},
    {"stackrestore", "9.7.15.2"},
    {"stacksave", "9.7.15.1"},
    {"stmatrix", "9.7.13.4.16"},
    {"sub", "9.7.1.2, 9.7.3.4, 9.7.4.2"},
    {"sub.cc", "9.7.2.3"},
    {"subc", "9.7.2.4"},
    {"suld", "9.7.10.1"},
    {"suq", "9.7.10.4"},
    {"sured", "9.7.10.3"},
    {"sust", "9.7.10.2"},
    {"szext", "9.7.1.21"},
    {"tanh", "9.7.3.22, 9.7.4.9"},
    {"tcgen05", "9.7.16"},
    {"tensormap", "9.7.8.25"},
    {"tensormap.cp_fenceproxy", "9.7.12.15.18"},
    {"tensormap.replace", "9.7.8.25"},
    {"testp", "9.7.3.1"},
    {"trap", "9.7.17.4"},
    {"vote", "9.7.12.8"},
    {"vote.sync", "9.7.12.9"},
    {"wgmma", "9.7.14"},
    {"wgmma.commit_group", "9.7.14.7.2"},
    {"wgmma.fence", "9.7.14.7.1"},
    {"wgmma.mma_async", "9.7.14.5.2"},
    {"wgmma.mma_async.sp", "9.7.14.6.4"},
    {"wgmma.wait_group", "9.7.14.7.3"},
    {"wmma", "9.7.13.3"},
    {"wmma.load", "9.7.13.3.3"},
    {"wmma.mma", "9.7.13.3.5"},
    {"wmma.store", "9.7.13.3.4"},
    {"xor", "9.7.7.3"},
};

constexpr bool headings_in_order() {
  for (std::size_t i = 1; i < std::size(kHeadings); ++i) {
    if (kHeadings[i - 1].name >= kHeadings[i].name) return false;
  }
  return true;
}
static_assert(headings_in_order(), "rows are in the order of their names");

}  // namespace

std::string_view sections_of(std::string_view mnemonic) {
  for (;;) {
    const Heading* row =
        std::lower_bound(std::begin(kHeadings), std::end(kHeadings), mnemonic,
                         [](const Heading& r, std::string_view name) { return r.name < name; });
    if (row != std::end(kHeadings) && row->name == mnemonic) return row->sections;
    const std::size_t dot = mnemonic.rfind('.');
    if (dot == std::string_view::npos) return "";
    mnemonic = mnemonic.substr(0, dot);
  }
}

}  // namespace ptxmc::isa
