#!lua flags=no-writes
-- Reply: {'seen', lease, nowMs}
local floor = math.floor
--@include head
--@include lease

return { 'seen', leaseReply(), nowMs }
