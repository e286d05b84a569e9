#include "core/live/live_page.h"

#include "core/page/whole_page.h"

namespace scalemark::live {

std::string live_page() { return page::whole_page(kLivePageFrame, kLivePageScript); }

}  // namespace scalemark::live
