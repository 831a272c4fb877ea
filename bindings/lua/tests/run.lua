-- SPDX-License-Identifier: MIT
-- usage: run.lua [TEST...]: runs the tests whose names contain one of the words.
local files = {"values", "server", "client", "readme"}
local ran, failed = 0, 0

local function wanted(name)
  for _, word in ipairs(arg) do
    if name:find(word, 1, true) then return true end
  end
  return #arg == 0
end

for _, file in ipairs(files) do
  local tests = require("test_" .. file)
  local names = {}
  for name in pairs(tests) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    if wanted(file .. "." .. name) then
      ran = ran + 1
      local fine, why = xpcall(tests[name], debug.traceback)
      collectgarbage()
      if not fine then
        failed = failed + 1
        io.stderr:write("FAILED ", file, ".", name, ": ", tostring(why), "\n")
      end
    end
  end
end
io.stderr:write(("bindings/lua: %d tests, %d failed\n"):format(ran, failed))
os.exit(failed == 0 and ran > 0, true)
