package io.tensorferry.verbs.device.support;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The memory windows bound on one queue pair, which are closed with it. For implementations of a device.
///
/// Threading: any thread.
public final class BoundWindows {
    private final List<WindowBinding> bindings = new ArrayList<>();

    public BoundWindows() {}

    synchronized void add(WindowBinding binding) {
        binding.position = bindings.size();
        bindings.add(binding);
    }

    synchronized void remove(WindowBinding binding) {
        WindowBinding last = bindings.removeLast();
        if (last != binding) {
            bindings.set(binding.position, last);
            last.position = binding.position;
        }
    }

    private synchronized @Nullable WindowBinding last() {
        return bindings.isEmpty() ? null : bindings.getLast();
    }

    /// Closes every window in the list. The caller ensures that no window is bound on this queue pair meanwhile.
    public void closeAll() {
        for (WindowBinding binding = last(); binding != null; binding = last()) {
            binding.closeWindow();
            binding.unbound();
        }
    }
}
