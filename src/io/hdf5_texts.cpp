// SPDX-License-Identifier: BSD-3-Clause
// Texts and attributes of HDF5 files.
#include <algorithm>

#include "core/error.hpp"
#include "io/hdf5.hpp"
#include "io/hdf5_calls.hpp"

namespace cotangent::io {
namespace {

// The texts of a data set or an attribute, which `read` puts where it is told.
template <class Read>
std::vector<std::string> texts_in(const Hdf5Handle& type, const Hdf5Handle& space,
                                  const std::filesystem::path& file, const std::string& doing, Read read) {
  const auto count = static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space.id()), file, doing));
  std::vector<std::string> texts;
  if (H5Tis_variable_str(type.id()) > 0) {
    std::vector<char*> pointers(count, nullptr);
    check(read(pointers.data()), file, doing);
    for (const char* text : pointers) texts.emplace_back(text == nullptr ? "" : text);
    H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, pointers.data());
  } else {
    const std::size_t length = H5Tget_size(type.id());
    std::string joined(length * count, '\0');
    check(read(joined.data()), file, doing);
    for (std::size_t i = 0; i < count; ++i) texts.emplace_back(joined.substr(i * length, length).c_str());
  }
  return texts;
}

}  // namespace

std::vector<std::string> File::read_texts(const std::string& path) const {
  const std::string doing = "read the text " + path;
  const Hdf5Handle set(check(H5Dopen2(handle_.id(), path.c_str(), H5P_DEFAULT), path_, doing), H5Dclose);
  const Hdf5Handle type(check(H5Dget_type(set.id()), path_, doing), H5Tclose);
  const Hdf5Handle space(check(H5Dget_space(set.id()), path_, doing), H5Sclose);
  if (H5Tget_class(type.id()) != H5T_STRING) throw Error(path_.string() + ": " + path + " holds no text");
  return texts_in(type, space, path_, doing, [&](void* into) {
    return H5Dread(set.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, into);
  });
}

std::string File::text_attribute(const std::string& object, const std::string& name) const {
  const auto texts = text_list_attribute(object, name);
  return texts.empty() ? "" : texts.front();
}

std::vector<std::string> File::text_list_attribute(const std::string& object, const std::string& name) const {
  const std::string doing = "read the attribute " + name + " of " + object;
  const Hdf5Handle handle(
      check(H5Aopen_by_name(handle_.id(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), path_,
            doing),
      H5Aclose);
  const Hdf5Handle type(check(H5Aget_type(handle.id()), path_, doing), H5Tclose);
  if (H5Tget_class(type.id()) != H5T_STRING) fail_call(path_, doing + " as text");
  const Hdf5Handle space(check(H5Aget_space(handle.id()), path_, doing), H5Sclose);
  return texts_in(type, space, path_, doing,
                  [&](void* into) { return H5Aread(handle.id(), type.id(), into); });
}

bool File::has_attribute(const std::string& object, const std::string& name) const {
  return check(H5Aexists_by_name(handle_.id(), object.c_str(), name.c_str(), H5P_DEFAULT), path_,
               "look for the attribute " + name + " of " + object) > 0;
}

std::int64_t File::integer_attribute(const std::string& object, const std::string& name) const {
  const std::string doing = "read the attribute " + name + " of " + object;
  const Hdf5Handle handle(
      check(H5Aopen_by_name(handle_.id(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), path_,
            doing),
      H5Aclose);
  std::int64_t value = 0;
  check(H5Aread(handle.id(), H5T_NATIVE_INT64, &value), path_, doing);
  return value;
}

void File::write_text(const std::string& path, const std::string& text) {
  const std::string doing = "write the text " + path;
  const Hdf5Handle type = text_type(H5T_VARIABLE), space = space_of({}), link = link_properties();
  const Hdf5Handle creation = properties(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(creation.id(), false);
  const hid_t id =
      H5Dcreate2(handle_.id(), path.c_str(), type.id(), space.id(), link.id(), creation.id(), H5P_DEFAULT);
  const Hdf5Handle set(check(id, path_, doing), H5Dclose);
  const char* pointer = text.c_str();
  check(H5Dwrite(set.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &pointer), path_, doing);
}

void File::create_texts(const std::string& path, std::int64_t length, std::int64_t count) {
  const Hdf5Handle type = text_type(static_cast<std::size_t>(length)), link = link_properties();
  const Hdf5Handle space = count == 0 ? space_of({}) : space_of({count});
  const Hdf5Handle creation = data_set_properties();
  const hid_t id =
      H5Dcreate2(handle_.id(), path.c_str(), type.id(), space.id(), link.id(), creation.id(), H5P_DEFAULT);
  const Hdf5Handle set(check(id, path_, "create the texts " + path), H5Dclose);
}

void File::overwrite_texts(const std::string& path, const std::vector<std::string>& texts) {
  const std::string doing = "write the texts " + path;
  const Hdf5Handle set(check(H5Dopen2(handle_.id(), path.c_str(), H5P_DEFAULT), path_, doing), H5Dclose);
  const Hdf5Handle type(check(H5Dget_type(set.id()), path_, doing), H5Tclose);
  const Hdf5Handle space(check(H5Dget_space(set.id()), path_, doing), H5Sclose);
  const auto count = static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space.id()), path_, doing));
  const std::size_t length = H5Tget_size(type.id());
  std::string joined(length * count, '\0');
  for (std::size_t i = 0; i < std::min(count, texts.size()); ++i)
    texts[i].copy(joined.data() + i * length, length);
  check(H5Dwrite(set.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, joined.data()), path_, doing);
}

void File::write_attribute(const std::string& object, const std::string& name, const std::string& text) {
  const std::string doing = "write the attribute " + name + " of " + object;
  const Hdf5Handle type = text_type(H5T_VARIABLE), space = space_of({});
  const hid_t id = H5Acreate_by_name(handle_.id(), object.c_str(), name.c_str(), type.id(), space.id(),
                                     H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const Hdf5Handle handle(check(id, path_, doing), H5Aclose);
  const char* pointer = text.c_str();
  check(H5Awrite(handle.id(), type.id(), &pointer), path_, doing);
}

void File::write_attribute(const std::string& object, const std::string& name, std::int64_t value) {
  const std::string doing = "write the attribute " + name + " of " + object;
  const Hdf5Handle space = space_of({});
  const hid_t id = H5Acreate_by_name(handle_.id(), object.c_str(), name.c_str(), H5T_STD_I64LE, space.id(),
                                     H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const Hdf5Handle handle(check(id, path_, doing), H5Aclose);
  check(H5Awrite(handle.id(), H5T_NATIVE_INT64, &value), path_, doing);
}

void File::write_attribute(const std::string& object, const std::string& name,
                           const std::vector<std::string>& texts) {
  const std::string doing = "write the attribute " + name + " of " + object;
  const Hdf5Handle type = text_type(H5T_VARIABLE);
  const Hdf5Handle space = space_of({static_cast<std::int64_t>(texts.size())});
  const hid_t id = H5Acreate_by_name(handle_.id(), object.c_str(), name.c_str(), type.id(), space.id(),
                                     H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const Hdf5Handle handle(check(id, path_, doing), H5Aclose);
  std::vector<const char*> pointers;
  for (const auto& text : texts) pointers.push_back(text.c_str());
  if (!pointers.empty()) check(H5Awrite(handle.id(), type.id(), pointers.data()), path_, doing);
}

}  // namespace cotangent::io
