-- SPDX-License-Identifier: MIT
-- What the tests share.
local support = {}

-- Describes a value, with the names of tables in order.
local function show(value)
  if type(value) ~= "table" then
    return type(value) == "string" and ("%q"):format(value) or tostring(value)
  end
  local parts = {}
  for name, item in pairs(value) do
    parts[#parts + 1] = tostring(name) .. "=" .. show(item)
  end
  table.sort(parts)
  return "{" .. table.concat(parts, ", ") .. "}"
end
support.show = show

function support.same(found, expected)
  if show(found) ~= show(expected) then
    error(("found %s, expected %s"):format(show(found), show(expected)), 2)
  end
end

-- Calls a function that must fail; returns its error.
function support.fails(pattern, ...)
  local fine, err = pcall(...)
  if fine or not tostring(err):find(pattern) then
    error(("found %s, expected an error like %q"):format(tostring(err),
                                                         pattern), 2)
  end
  return err
end

support.here = arg[0]:match("^(.*)/") or "."
support.everything = {"lua5.4", support.here .. "/everything.lua"}
support.bin = os.getenv("BIN")

-- Runs a program, and returns what it prints.
function support.output(command)
  local pipe <close> = assert(io.popen(command .. " 2>&1"))
  return pipe:read("a"), pipe:close()
end

return support
